//! `tiergate init`: what it writes works.

use crate::support::Project;

#[test]
fn the_configuration_is_valid_and_the_example_runs() {
    let project = Project::new();
    project
        .tiergate("init")
        .run()
        .exits(0)
        .prints("tiergate.toml")
        .prints("bench/example.bench.mjs");
    let listed = project.tiergate("list --format json").run();
    assert_eq!(listed.exits(0).listed().len(), 2, "{listed}");
    project.tiergate("run --instrument wall --repeats 3").run().exits(0);
    project.tiergate("init").run().refuses(64, "tiergate.toml");
    project.tiergate("init --force").run().exits(0);
}

#[test]
fn workflows_have_pinned_actions_and_as_many_jobs_as_asked_for() {
    let project = Project::new();
    project.tiergate("init --ci github --shards 3").run().exits(0);
    let text = project.read(".github/workflows/tiergate.yml");
    assert!(text.contains("shard: [1, 2, 3]"), "{text}");
    assert!(!text.contains('@') || !text.contains("@SHARDS@"), "{text}");
    let uses: Vec<&str> = text.lines().filter(|line| line.contains("uses: ")).collect();
    assert!(uses.len() >= 5);
    for line in uses {
        let pin = line.split('@').nth(1).unwrap().split(' ').next().unwrap();
        assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
    }
    // The jobs that run the pull request's code have no token that can write.
    let (before_post, post) = text.split_once("\n  post:").unwrap();
    assert!(!before_post.contains("write") || !before_post.contains(": write"), "{before_post}");
    assert!(post.contains("pull-requests: write") && !post.contains("checkout"), "{post}");

    project.tiergate("init --ci gitlab --shards 4").run().exits(0);
    let text = project.read(".gitlab/tiergate.yml");
    assert!(text.contains("parallel: 4"), "{text}");
    project.tiergate("init --ci gitlab").run().refuses(64, ".gitlab/tiergate.yml");
    project.tiergate("init --ci github --shards 0 --force").run().refuses(64, "0 shards");
}
