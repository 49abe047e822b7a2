"""satisfice compare-studies."""

import typer

from satisfice.cli import options


def compare_studies(
    first: str = options.FIRST_STUDY,
    second: str = options.SECOND_STUDY,
    trust_code: bool = options.TRUST_CODE,
) -> None:
    """Show two studies side by side: what was asked and measured, the verdicts, and where estimates differ.

    Two estimates differ where their intervals, which hold at all times, have nothing in common.
    """
    from satisfice.cli.lookup import study_at
    from satisfice.show.comparison import print_comparison

    with study_at(first, trust_code) as one, study_at(second, trust_code) as other:
        print_comparison(one.view(), other.view())
    raise typer.Exit(0)
