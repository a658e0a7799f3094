//! Command lists: their events, who executes whom, and every command but draws.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{At, Checked, draws};
use crate::abi::{BufferId, EventId, ListId};
use crate::capture::blob::Length;
use crate::capture::error::Fault;
use crate::capture::manifest::{Command, Copy, ListEntry, ListKind};

/// The most commands that a frame may come to with every `execute` replaced by what it runs.
pub(crate) const INLINED_MOST: u64 = 10_000_000;

pub(super) fn check(at: &At<'_>, lists: &[ListEntry], checked: &mut Checked<'_>) -> Result<(), Fault> {
    let mut places = HashMap::new();
    for (index, list) in lists.iter().enumerate() {
        let at = at.index(index);
        if places.insert(list.id, index).is_some() {
            return Err(at.key("id").fault(format!("{} again", list.id), "an id unique in the frame"));
        }
        let (kind, expected) = match list.id {
            ListId::IMMEDIATE => (ListKind::Immediate, "`immediate` for list 0"),
            _ => (ListKind::Deferred, "`deferred` for every list but 0"),
        };
        let found =
            || format!("`{}`", if list.kind == ListKind::Deferred { "deferred" } else { "immediate" });
        at.key("kind").expect(list.kind == kind, found, expected)?;
    }
    if !places.contains_key(&ListId::IMMEDIATE) {
        return Err(at.fault("no list 0", "the immediate list, id 0"));
    }
    let mut events = HashSet::new();
    for (index, list) in lists.iter().enumerate() {
        let list_at = &at.index(index);
        let mut last = None;
        for (place, command) in list.commands.iter().enumerate() {
            let at = &list_at.item("commands", place);
            event(at, command.event(), &mut last, &mut events)?;
            if let Command::Execute(execute) = command {
                let known = execute.list != ListId::IMMEDIATE && places.contains_key(&execute.list);
                let expected = "the id of a deferred list of this frame";
                at.key("list").expect(known, || execute.list.to_string(), expected)?;
            }
            self::command(at, command, checked)?;
        }
    }
    Inlining { at, lists, places: &places, sizes: HashMap::new() }.check()
}

/// Events rise within a list and are unique in the frame.
fn event(
    at: &At<'_>,
    event: EventId,
    last: &mut Option<EventId>,
    seen: &mut HashSet<EventId>,
) -> Result<(), Fault> {
    let at = at.key("event");
    if let Some(last) = last.replace(event)
        && event <= last
    {
        return Err(at.fault(event.to_string(), format!("more than {last}, the event before in its list")));
    }
    at.expect(seen.insert(event), || format!("{event} again"), "an event unique in the frame")
}

fn command(at: &At<'_>, command: &Command, checked: &mut Checked<'_>) -> Result<(), Fault> {
    match command {
        Command::MapDiscard(c) => {
            let bytes = buffer_size(&at.key("buffer"), c.buffer, checked)?;
            let why = format!("the size of buffer {}", c.buffer);
            checked.uses(&at.key("blob"), c.blob, Length::Exactly { bytes, why });
        }
        Command::Write(c) => {
            let length = rest(at, c.buffer, c.offset, checked)?;
            checked.uses(&at.key("blob"), c.blob, length);
        }
        Command::Observe(c) => {
            let length = rest(at, c.buffer, c.offset, checked)?;
            checked.uses(&at.key("blob"), c.blob, length);
        }
        Command::Copy(c) => copy(at, c, checked)?,
        Command::Execute(_) => {}
        Command::Opaque(c) => {
            for (index, write) in c.writes.iter().enumerate() {
                let at = at.item("writes", index);
                range(&at, write.buffer, write.offset, write.size, checked)?;
            }
        }
        Command::Draw(draw) => draws::check(at, draw, checked)?,
    }
    Ok(())
}

fn copy(at: &At<'_>, copy: &Copy, checked: &Checked<'_>) -> Result<(), Fault> {
    let range = |key: &str, id, offset| -> Result<Range<u64>, Fault> {
        let size = buffer_size(&at.key(key), id, checked)?;
        inside(at, id, size, offset, copy.size)
    };
    let src = range("src", copy.src, copy.src_offset)?;
    let dst = range("dst", copy.dst, copy.dst_offset)?;
    if copy.src == copy.dst && src.start < dst.end && dst.start < src.end {
        let found = format!(
            "bytes {}..{} copied to {}..{} of buffer {}",
            src.start, src.end, dst.start, dst.end, copy.dst
        );
        return Err(at.fault(found, "ranges that do not overlap"));
    }
    Ok(())
}

/// The size of the buffer of that id, which must be there.
pub(super) fn buffer_size(at: &At<'_>, id: BufferId, checked: &Checked<'_>) -> Result<u64, Fault> {
    match checked.buffers.get(&id) {
        Some(buffer) => Ok(buffer.size),
        None => Err(at.fault(id.to_string(), "the id of a buffer of this frame")),
    }
}

/// The range of a command that names its buffer `buffer`.
pub(super) fn range(
    at: &At<'_>,
    id: BufferId,
    offset: u64,
    size: u64,
    checked: &Checked<'_>,
) -> Result<Range<u64>, Fault> {
    let whole = buffer_size(&at.key("buffer"), id, checked)?;
    inside(at, id, whole, offset, size)
}

fn inside(at: &At<'_>, id: BufferId, whole: u64, offset: u64, size: u64) -> Result<Range<u64>, Fault> {
    match offset.checked_add(size) {
        Some(end) if end <= whole => Ok(offset..end),
        _ => {
            let found = format!("offset {offset} and size {size}");
            Err(at.fault(found, format!("a range within the {whole} bytes of buffer {id}")))
        }
    }
}

/// What is left of a buffer from an offset on.
fn rest(at: &At<'_>, id: BufferId, offset: u64, checked: &Checked<'_>) -> Result<Length, Fault> {
    let whole = range(at, id, offset, 0, checked).and_then(|_| buffer_size(at, id, checked))?;
    let why = format!("buffer {id} from offset {offset} on");
    Ok(Length::AtMost { bytes: whole - offset, why })
}

/// Follows `execute` from list to list, without recursion: a file may chain as many lists as it likes.
struct Inlining<'a> {
    at: &'a At<'a>,
    lists: &'a [ListEntry],
    places: &'a HashMap<ListId, usize>,
    /// Commands of a list with what it executes; `None` while the list is being followed.
    sizes: HashMap<ListId, Option<u64>>,
}

/// A list being followed.
struct Open<'a> {
    id: ListId,
    commands: std::iter::Enumerate<std::slice::Iter<'a, Command>>,
    size: u64,
}

impl<'a> Inlining<'a> {
    fn check(mut self) -> Result<(), Fault> {
        for list in self.lists {
            if !self.sizes.contains_key(&list.id) {
                self.follow(list)?;
            }
        }
        let total = self.sizes.get(&ListId::IMMEDIATE).copied().flatten().unwrap_or_default();
        let expected = "at most 10000000 commands with every execute replaced by what it runs";
        self.at.expect(total <= INLINED_MOST, || format!("{total} commands"), expected)
    }

    fn open(&mut self, list: &'a ListEntry) -> Open<'a> {
        self.sizes.insert(list.id, None);
        Open { id: list.id, commands: list.commands.iter().enumerate(), size: 0 }
    }

    fn follow(&mut self, list: &'a ListEntry) -> Result<(), Fault> {
        let mut path = vec![self.open(list)];
        while let Some(top) = path.last_mut() {
            let Some((place, command)) = top.commands.next() else {
                let (id, size) = (top.id, top.size);
                self.sizes.insert(id, Some(size));
                path.pop();
                if let Some(caller) = path.last_mut() {
                    caller.size = caller.size.saturating_add(size);
                }
                continue;
            };
            top.size = top.size.saturating_add(1);
            let Command::Execute(execute) = command else { continue };
            match self.sizes.get(&execute.list) {
                Some(Some(size)) => top.size = top.size.saturating_add(*size),
                Some(None) => {
                    let from = self.places.get(&top.id).copied().unwrap_or_default();
                    let through = path
                        .iter()
                        .skip_while(|open| open.id != execute.list)
                        .map(|open| open.id.to_string())
                        .chain([execute.list.to_string()])
                        .collect::<Vec<_>>();
                    let found = format!("a list that executes itself ({})", through.join(" > "));
                    let at = self.at.index(from);
                    return Err(at.item("commands", place).key("list").fault(found, "no circle"));
                }
                None => {
                    let next = self.places.get(&execute.list).and_then(|place| self.lists.get(*place));
                    if let Some(next) = next {
                        let open = self.open(next);
                        path.push(open);
                    }
                }
            }
        }
        Ok(())
    }
}
