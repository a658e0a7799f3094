//! Primitive assembly: the triangles a draw makes of the vertices it names.
//!
//! In: a planned draw. Out: triangles of vertex numbers, after `base_vertex`. It fetches no vertex; whoever rasterises
//! or looks for edges starts here, so that both mean the same triangles.

use crate::abi::state::Topology;
use crate::plan::{Draw, VertexOrder};

/// The triangles of a draw, in draw order and with the winding their topology gives them: every second one of a strip
/// has its last two vertices exchanged. Those that name a vertex twice cover nothing and are left out, as is an
/// unfinished one at the end. A topology that makes no triangles yields none.
pub fn triangles(draw: &Draw) -> impl Iterator<Item = [i64; 3]> + use<> {
    let strip = draw.topology == Topology::TriangleStrip;
    let order = (strip || draw.topology == Topology::TriangleList).then(|| VertexOrder::of(draw));
    assemble(strip, order.into_iter().flat_map(VertexOrder::into_numbers))
}

/// Triangles of a strip or list; `None` among the numbers restarts a strip.
fn assemble(strip: bool, mut numbers: impl Iterator<Item = Option<i64>>) -> impl Iterator<Item = [i64; 3]> {
    let mut held = [0; 2];
    // Vertices since the last restart of a strip, or of the unfinished triangle of a list.
    let mut count = 0usize;
    std::iter::from_fn(move || {
        loop {
            let Some(vertex) = numbers.next()? else {
                count = 0;
                continue;
            };
            if let Some(place) = held.get_mut(count) {
                *place = vertex;
                count += 1;
                continue;
            }
            let [a, b] = held;
            let triangle = if strip && count % 2 == 1 { [a, vertex, b] } else { [a, b, vertex] };
            if strip {
                held = [b, vertex];
                count += 1;
            } else {
                count = 0;
            }
            if a != b && b != vertex && vertex != a {
                return Some(triangle);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESTART: i64 = i64::MIN;

    fn of(strip: bool, numbers: &[i64]) -> Vec<[i64; 3]> {
        assemble(strip, numbers.iter().map(|n| (*n != RESTART).then_some(*n))).collect()
    }

    #[test]
    fn a_strip_turns_every_second_triangle_and_starts_anew_after_a_restart() {
        let numbers = [1, 2, 3, 4, RESTART, 5, 6, RESTART, 7, 8, 9, 10];
        assert_eq!(of(true, &numbers), [[1, 2, 3], [2, 4, 3], [7, 8, 9], [8, 10, 9]]);
        assert_eq!(of(true, &[1, 2, 3, RESTART]), [[1, 2, 3]]);
        assert_eq!(of(true, &[1, 2, 3, RESTART, 4, 5, 6]), [[1, 2, 3], [4, 5, 6]]);
    }

    #[test]
    fn a_list_takes_three_at_a_time_and_drops_the_rest() {
        assert_eq!(of(false, &[-2, -1, 65_533, 4, 5, 6, 7, 8]), [[-2, -1, 65_533], [4, 5, 6]]);
        assert!(of(false, &[1, 2]).is_empty());
    }

    #[test]
    fn triangles_that_name_a_vertex_twice_are_left_out_and_the_next_keeps_its_winding() {
        assert_eq!(of(true, &[0, 1, 2, 2, 3, 4]), [[0, 1, 2], [2, 4, 3]]);
        assert_eq!(of(false, &[5, 5, 6, 1, 2, 1, 2, 1, 1, 1, 2, 3]), [[1, 2, 3]]);
    }
}
