"""Words of the surface: options on the command line, keys in a file; what is said of an interruption."""

import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import satisfice as sf
from satisfice.cli.ci_reports import page_of
from satisfice.cli.surface import as_keys
from satisfice.layout.numbers import counted
from satisfice.show.junit import junit_of

LIMIT = ["--config", "one", "-t", "p95(ms) <= 5 ~ 1", "-t", "size <= 5 : normal(1)"]


def test_a_missing_worst_value_is_asked_for_as_one_would_give_it(bench, satisfice):
    done = satisfice("run", *LIMIT, "--on-error", "worst", "--", "echo", "{}")
    assert done.code == 2
    assert "Give --worst size=VALUE, declare bounded(low, high), or use --on-error retry or stop" in done.err
    Path("s.toml").write_text(
        'thresholds = ["size <= 5 : normal(1)"]\non_error = "worst"\ncommand = "echo"\n[configs.one]\nn = 1\n'
    )
    done = satisfice("run", "s.toml")
    assert 'Give worst = { size = VALUE }, declare bounded(low, high), or use on_error = "retry" or "stop"' in done.err


def test_what_losses_may_bias_is_said_once_and_as_one_would_mend_it_here(satisfice):
    with sf.create_study(["one"], ["wall_time <= 5 : normal(1)"], storage="sqlite:///lost.db") as study:
        study.release(study.ask())
        (said,) = study.view().warnings
        page, suite = page_of(study.view()), junit_of(study.view(), 1.0)
    out = " ".join(satisfice("status", "sqlite:///lost.db").out.split())
    assert out.count("so that the verdict may be biased; --on-lost worst counts what is lost as the worst") == 1
    assert [text.count("may be biased") for text in (out, page, suite)] == [1, 1, 1]
    assert 'may be biased; on_lost = "worst" counts' in as_keys(said)


def test_what_failed_is_said_once(bench, satisfice):
    limit = ["--config", "one", "-t", "a <= 0.5 ~ 0.1 : bernoulli", "--on-error", "worst", "--max-evaluations", "3"]
    err = satisfice("run", *limit, "--", "sh", "-c", "exit 1").err
    assert "satisfice: 3 evaluations failed: each counts as the worst result there can be" in err
    assert err.count("3 evaluations failed") == 1


def test_an_interruption_says_what_is_kept_and_where(tmp_path):
    words = ["run", "--config", "one", "-t", "a <= 0.5 ~ 0.0001 : bernoulli", "--storage", "sqlite:///kept.db"]
    code = "import sys; print('{\"a\": %d}' % (int(sys.argv[1]) % 2))"  # in turns, which decides nothing
    running = subprocess.Popen(
        [sys.executable, "-m", "satisfice", *words, "--name", "coin", "--", sys.executable, "-c", code, "{repeat}"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = monotonic() + 60
    while not (tmp_path / "kept.db").exists() and monotonic() < until:
        sleep(0.02)
    sleep(1.0)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "of 'coin' kept in sqlite:///kept.db: the same command goes on" in err
    assert err.count("interrupted") == 1


def test_things_are_counted_in_words():
    assert [counted(number, "evaluation") for number in (0, 1, 1204)] == [
        *("0 evaluations", "1 evaluation", "1,204 evaluations"),
    ]
