//! The links between nodes: parents, first children, siblings (claims `node-siblings` and `node-first-child`).
//!
//! Links come from the file and may be anything: every walk here ends.

use std::collections::BTreeSet;
use std::fmt;

use super::node::Node;

/// What a link of a node breaks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkFault {
    /// The parent is neither -1 nor a node.
    ParentRange(i16),
    /// The node is its own ancestor.
    ParentCycle,
    /// Walking next siblings from the first child does not visit exactly the nodes whose parent this is.
    Children {
        /// What the walk visits, as far as it was followed.
        walk: Vec<i16>,
        /// The nodes whose parent this is, in index order.
        children: Vec<usize>,
    },
    /// The previous sibling of the next sibling is another node.
    NextNotUndone(i16),
    /// The next sibling of the previous sibling is another node.
    PreviousNotUndone(i16),
}

impl LinkFault {
    /// The rule in words that stay the same.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::ParentRange(_) => "parent out of range",
            Self::ParentCycle => "parent cycle",
            Self::Children { .. } => "sibling walk misses a child",
            Self::NextNotUndone(_) | Self::PreviousNotUndone(_) => "siblings do not undo each other",
        }
    }
}

impl fmt::Display for LinkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ParentRange(parent) => write!(f, "parent {parent} out of range"),
            Self::ParentCycle => f.write_str("its parents form a cycle"),
            Self::Children { walk, children } => {
                write!(f, "the sibling walk visits {walk:?}, its children are {children:?}")
            }
            Self::NextNotUndone(next) => write!(f, "next sibling {next} has another previous sibling"),
            Self::PreviousNotUndone(previous) => {
                write!(f, "previous sibling {previous} has another next sibling")
            }
        }
    }
}

/// What is known of the nodes' links.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// The nodes whose parent each is, in index order.
    pub children: Vec<Vec<u32>>,
    /// Every fault with its node, in node order.
    pub faults: Vec<(usize, LinkFault)>,
    /// Nodes in an order in which parents come before children; nodes at or below a broken parent link are not in it.
    pub order: Vec<u32>,
}

impl Hierarchy {
    /// Follows the links of `nodes`.
    pub fn of(nodes: &[Node]) -> Self {
        let mut children = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            if let Some(list) = index(node.parent).and_then(|parent| children.get_mut(parent)) {
                list.push(i as u32);
            }
        }
        let mut order: Vec<u32> = (0..nodes.len() as u32).filter(|i| is_root(nodes, *i as usize)).collect();
        let mut at = 0;
        while let Some(node) = order.get(at).copied() {
            order.extend(children.get(node as usize).into_iter().flatten());
            at += 1;
        }
        let mut hierarchy = Self { children, faults: Vec::new(), order };
        hierarchy.find_faults(nodes);
        hierarchy
    }

    fn find_faults(&mut self, nodes: &[Node]) {
        let in_range = |parent: i16| parent == -1 || index(parent).is_some_and(|p| p < nodes.len());
        let cyclic = on_cycles(nodes);
        for (i, node) in nodes.iter().enumerate() {
            let mut fault = |fault| self.faults.push((i, fault));
            if !in_range(node.parent) {
                fault(LinkFault::ParentRange(node.parent));
            } else if cyclic.contains(&i) {
                fault(LinkFault::ParentCycle);
            }
            let children = self.children.get(i).map(Vec::as_slice).unwrap_or_default();
            if let Some(walk) = wrong_walk(nodes, node.first_child, children) {
                let children = children.iter().map(|child| *child as usize).collect();
                fault(LinkFault::Children { walk, children });
            }
            let names_back = |link: i16, back: fn(&Node) -> i16| {
                link == -1
                    || index(link).and_then(|l| nodes.get(l)).is_some_and(|n| index(back(n)) == Some(i))
            };
            if !names_back(node.next_sibling, |n| n.previous_sibling) {
                fault(LinkFault::NextNotUndone(node.next_sibling));
            }
            if !names_back(node.previous_sibling, |n| n.next_sibling) {
                fault(LinkFault::PreviousNotUndone(node.previous_sibling));
            }
        }
    }
}

/// The visited nodes where they are not exactly `children`.
fn wrong_walk(nodes: &[Node], first: i16, children: &[u32]) -> Option<Vec<i16>> {
    let mut walk = Vec::new();
    let mut at = first;
    // One step more than there are children shows that the walk is too long.
    while at != -1 && walk.len() <= children.len() {
        walk.push(at);
        match index(at).and_then(|i| nodes.get(i)) {
            Some(node) => at = node.next_sibling,
            None => break,
        }
    }
    let mut visited: Vec<i64> = walk.iter().map(|i| i64::from(*i)).collect();
    visited.sort_unstable();
    let expected: Vec<i64> = children.iter().map(|child| i64::from(*child)).collect();
    (visited != expected).then_some(walk)
}

/// The nodes that are their own ancestors: every node is walked over once.
fn on_cycles(nodes: &[Node]) -> BTreeSet<usize> {
    let mut walked_by = vec![usize::MAX; nodes.len()];
    let mut cyclic = BTreeSet::new();
    for start in 0..nodes.len() {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some((node, mark)) = at.and_then(|i| Some((i, walked_by.get_mut(i)?))) {
            if *mark != usize::MAX {
                if *mark == start {
                    cyclic.extend(path.iter().skip_while(|step| **step != node));
                }
                break;
            }
            *mark = start;
            path.push(node);
            at = nodes.get(node).and_then(|n| index(n.parent));
        }
    }
    cyclic
}

fn is_root(nodes: &[Node], i: usize) -> bool {
    nodes.get(i).is_some_and(|node| node.parent == -1)
}

/// A link as an index; `None` for -1 and anything below.
pub fn index(link: i16) -> Option<usize> {
    usize::try_from(link).ok()
}
