//! Everything about a frame file that its types cannot say: references, ranges, sums, cycles.
