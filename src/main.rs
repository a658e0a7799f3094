//! tmp
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let o = replay::run::Options { device: replay::run::DeviceChoice::Reference, ..Default::default() };
    let run = replay::run::replay(path.as_ref(), &o, &mut ()).unwrap();
    let r = run.report;
    println!("{:?} {:?} {:?}", r.verdict, r.coverage, r.timings);
    for d in &r.dumps {
        if d.verdict != replay::finding::DumpVerdict::Match || !d.tolerated.is_empty() && d.name != "post_vs"
        {
            println!(
                "{} {:?} {} {:?} {:?} cmp {} eq {} tol {:?} diff {} maxabs {:.2e} rel {:.2e} ulp {}",
                d.frame,
                d.owner,
                d.name,
                d.verdict,
                d.reason,
                d.compared,
                d.equal,
                d.tolerated,
                d.different,
                d.max_abs,
                d.max_rel,
                d.max_ulp
            );
            for w in &d.worst {
                if w.differs {
                    println!("     {w:?}");
                }
            }
        }
    }
    for n in &r.notices {
        println!("{n}");
    }
}
