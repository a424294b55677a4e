fn main() {
    let name = std::env::args().nth(1).unwrap();
    let world = merrow::world::load_world(&merrow::world::share::world(&name), Default::default());
    match world {
        Ok(w) => {
            let mut s = merrow::sim::Simulation::new(std::sync::Arc::new(w.scene), 0).unwrap();
            let (_tx, rx) = crossbeam_channel::unbounded();
            let sum = merrow::sim::run(
                &mut s,
                merrow::sim::Pace::Max,
                Some(60.0),
                &rx,
                &mut [],
                &std::sync::atomic::AtomicBool::new(false),
            );
            println!("{sum:#?} {:?}", s.state.robots[0].motion);
        }
        Err(e) => println!("{e}"),
    }
}
