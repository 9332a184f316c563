//! The cost of appending to a graph and of viewing it at 1,000 and at 100,000 nodes: `cargo bench --bench graph`.

#[cfg(not(target_arch = "wasm32"))]
mod measured {
    use std::hint::black_box;
    use std::time::Duration;

    use contextfold::graph::{ContextGraph, GraphLimits, NodeSpec, NodeType};
    use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};

    const SIZES: [usize; 2] = [1_000, 100_000];

    /// One lane: a system message, then turns of a user message and an agent's message.
    fn lane(nodes: usize) -> (ContextGraph, String) {
        let mut graph = ContextGraph::new(GraphLimits::default());
        let mut last = String::new();
        for n in 0..nodes {
            let node_type = match n {
                0 => NodeType::SystemMessage,
                n if n % 2 == 1 => NodeType::UserMessage,
                _ => NodeType::AgentMessage,
            };
            if let Ok(id) =
                graph.add_node(NodeSpec::text(node_type, "a message of forty bytes, more or less.."))
            {
                last = id.to_string();
            }
        }
        (graph, last)
    }

    fn graph(c: &mut Criterion) {
        let mut group = c.benchmark_group("graph");
        group
            .sample_size(20)
            .measurement_time(Duration::from_millis(500))
            .warm_up_time(Duration::from_millis(100));
        for size in SIZES {
            let (graph, last) = lane(size);
            group.bench_function(BenchmarkId::new("view of 10 turns", size), |b| {
                b.iter(|| black_box(graph.context_for_full(&last, Some(10))));
            });
            group.bench_function(BenchmarkId::new("whole view", size), |b| {
                b.iter(|| black_box(graph.context_for_full(&last, None)));
            });
        }
        for size in SIZES {
            group.throughput(Throughput::Elements(size as u64));
            group.bench_function(BenchmarkId::new("append", size), |b| {
                b.iter_with_large_drop(|| lane(size));
            });
        }
        group.finish();
    }

    criterion_group!(benches, graph);
}

#[cfg(not(target_arch = "wasm32"))]
criterion::criterion_main!(measured::benches);

#[cfg(target_arch = "wasm32")]
fn main() {}
