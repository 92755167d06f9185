"""The table that tests of numbers print."""
import collections

import pytest


@pytest.fixture(scope="module")
def table(request):
    """Rows of a table that is printed behind the tests of a module: operator → [cases, exact, largest difference]."""
    rows = collections.defaultdict(lambda: [0, 0, 0.0])
    yield rows
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{'operator':45} cases exact  max difference")
        for label in sorted(rows):
            cases, exact, worst = rows[label]
            print(f"{label:45} {cases:5} {exact:5}  {worst:g}")
