"""Projection written from its rules (docs/output.md, P1-P7) and nothing else: sets, no index, exponential search.
Only for small graphs. It judges the C program, which must find the same figures in near-linear time."""
import itertools
import json
import math
from collections import Counter

LARGEST = 2**53 - 1


def key(value):
    return json.dumps(value or {}, sort_keys=True, separators=(",", ":"))


class TooLarge(Exception):
    """The search of this graph would take too long here."""


class Record:
    """Figures, the entities they come from, and whether all of them are sealed."""

    def __init__(self, figures, origins, sealed=False):
        self.figures, self.origins, self.sealed = figures, frozenset(origins), sealed

    def identity(self):
        return self.origins, self.sealed


def figures_of(breakdowns):
    """{breakdown qualifiers: {(name, unit, qualifiers): metric}} or None when two of them contradict (P1)."""
    result = {}
    for breakdown in breakdowns:
        metrics = {}
        for metric in breakdown["metrics"]:
            identity = metric["name"], metric["unit"], key(metric.get("qualifiers"))
            if metrics.setdefault(identity, metric) != metric:
                return None
        if not metrics or result.setdefault(key(breakdown.get("qualifiers")), metrics) != metrics:
            return None
    return result


def add(records):
    """Sum of records with disjoint origins (P6); None when nothing can be added."""
    if len(records) == 1:
        return records[0].figures
    result = {}
    for qualifiers in set.intersection(*(set(r.figures) for r in records)):
        lists = [r.figures[qualifiers] for r in records]
        metrics = {}
        for identity in set.intersection(*map(set, lists)):
            parts = [metrics_[identity] for metrics_ in lists]
            if any("value" not in p or p.get("aggregation") != "sum" for p in parts):
                continue
            samples = [p.get("samples") for p in parts]
            if any(s is None for s in samples) and any(s is not None for s in samples):
                continue
            value = math.fsum(p["value"] for p in parts)
            if not math.isfinite(value) or abs(value) > LARGEST:
                continue
            metric = {**parts[0], "value": int(value) if value == int(value) else value}
            if samples[0] is not None:
                metric["samples"] = sum(samples)
            metrics[identity] = metric
        if metrics:
            result[qualifiers] = metrics
    return result or None


class Projection:
    def __init__(self, result):
        self.entities = {e["id"]: e for e in result.get("entities", [])}
        self.children = {i: set(e.get("child_ids", [])) for i, e in self.entities.items()}
        self.parents = {i: set(e.get("parent_ids", [])) for i, e in self.entities.items()}
        for i in self.entities:
            for child in list(self.children[i]):
                self.parents[child].add(i)
            for parent in list(self.parents[i]):
                self.children[parent].add(i)
        self.kind = {i: e["kind"] for i, e in self.entities.items()}
        self.edges = {(p, k["id"]) for k in result.get("entity_kinds", []) for p in k.get("parent_kinds", [])}
        self.edges |= {(k["id"], c) for k in result.get("entity_kinds", []) for c in k.get("child_kinds", [])}
        self.below = {i: self.closure(i, self.children) for i in self.entities}
        self.above = {i: self.closure(i, self.parents) for i in self.entities}
        self.leaves = {i: frozenset(x for x in self.below[i] if not self.children[x]) for i in self.entities}
        own = {}
        for breakdown in result.get("breakdowns", []):
            own.setdefault(breakdown["entity_id"], []).append(breakdown)
        self.own = {i: figures_of(b) for i, b in own.items()}
        self.shadowed = {i for i in own for c in self.children[i] if c in own and self.declared(i, c)}
        self.steps = 0

    def closure(self, start, neighbours):
        found, stack = {start}, [start]
        while stack:
            for other in neighbours[stack.pop()]:
                if other not in found:
                    found.add(other)
                    stack.append(other)
        return found

    def declared(self, parent, child):
        return (self.kind[parent], self.kind[child]) in self.edges

    def covered(self, record):
        return frozenset().union(*(self.leaves[o] for o in record.origins))

    def extras(self, record, target):
        return self.covered(record) - self.leaves[target]

    def contested(self, target, leaf):
        """P4."""
        return any(other != target and leaf in self.below[other]
                   and (self.kind[other] == self.kind[target] or self.above[other] & self.above[target])
                   for other in self.entities)

    def eligible(self, record, target):
        return bool(self.covered(record) & self.leaves[target]) and \
            not any(self.contested(target, x) for x in self.extras(record, target))

    def frontiers(self):
        """P3: what entities right below sources show, and what the blocked ones would need."""
        shown, blocked = {}, {}
        for target in self.entities:
            sources = sorted(p for p in self.parents[target]
                             if p in self.own and p not in self.shadowed and self.declared(p, target))
            if target in self.own or not sources:
                continue
            records = [Record(self.own[s], {s}) for s in sources if self.own[s] is not None]
            figures = None
            if len(records) == len(sources) and all(self.eligible(r, target) for r in records):
                figures = add(records)
            if figures is None:
                blocked[target] = frozenset(sources)
            else:
                shown[target] = Record(figures, sources, True)
        return shown, blocked

    def needed(self, target, blocked):
        """Origins that a record of this target must include; None: it can have none."""
        origins = set()
        for entity, wanted in blocked.items():
            leaves = self.leaves[entity]
            if not leaves & self.leaves[target]:
                continue
            if not leaves <= self.leaves[target] or (leaves == self.leaves[target] and len(wanted) > 1):
                return None
            origins |= wanted
        return origins

    def candidates(self, target, exposed):
        """Records for a target, without those that a sealed one with the same leaves supersedes."""
        records = {}
        for entity, own in exposed.items():
            for record in own:
                if entity != target and not record.origins <= self.shadowed and self.eligible(record, target):
                    records[record.identity()] = record
        return [r for r in records.values()
                if not any(o.sealed and r.origins < o.origins and self.covered(o) == self.covered(r)
                           for o in records.values())]

    def sums(self, records, required, needed, target, with_extras):
        """Irredundant sums of records with disjoint origins."""
        found = []

        def complete(chosen):
            covered = frozenset().union(*(self.covered(r) for r in chosen)) if chosen else frozenset()
            origins = frozenset().union(*(r.origins for r in chosen)) if chosen else frozenset()
            return required <= covered and needed <= origins

        def extend(chosen):
            self.steps += 1
            if self.steps > 20000:
                raise TooLarge
            if complete(chosen):
                if not any(complete([r for r in chosen if r is not out]) for out in chosen):
                    figures = add(chosen)
                    record = Record(figures, frozenset().union(*(r.origins for r in chosen)), all(r.sealed for r in chosen))
                    if figures is not None and bool(self.extras(record, target)) == with_extras:
                        found.append(record)
                return
            missing = min(required - frozenset().union(*(self.covered(r) for r in chosen)), default=None)
            for record in records:
                if missing is not None and missing not in self.covered(record):
                    continue
                if missing is None and not record.origins & (needed - frozenset().union(*(r.origins for r in chosen))):
                    continue
                if any(record.origins & r.origins for r in chosen) or (not with_extras and self.extras(record, target)):
                    continue
                extend(chosen + [record])

        extend([])
        return found

    def singles(self, records, required, needed, target, with_extras, choose):
        found = [r for r in records if required <= self.covered(r) and needed <= r.origins
                 and bool(self.extras(r, target)) == with_extras]
        if choose and not needed and found:
            fewest = min(len(r.origins) for r in found)
            found = [r for r in found if r.sealed] or [r for r in found if len(r.origins) == fewest]
        return found

    def run(self):
        """{entity: figures} of every entity that shows figures without having its own (P5)."""
        shown, blocked = self.frontiers()
        exposed = {i: [Record(f, {i})] for i, f in self.own.items() if f is not None}
        exposed.update({i: [r] for i, r in shown.items()})
        sources = frozenset().union(*(self.leaves[o] for o in self.own if o not in self.shadowed)) if self.own else frozenset()
        targets = {}
        for target in sorted(self.entities):
            required = self.leaves[target] & sources
            needed = self.needed(target, blocked)
            if target not in self.own and target not in shown and target not in blocked and required and needed is not None:
                targets[target] = required, needed
        changed = True
        while changed:
            changed = False
            snapshot = {i: list(r) for i, r in exposed.items()}
            for target, (required, needed) in targets.items():
                records = self.candidates(target, snapshot)
                known = {r.identity() for r in exposed.get(target, [])}
                for with_extras in (False, True):
                    for record in self.sums(records, required, needed, target, with_extras) + \
                            self.singles(records, required, needed, target, with_extras, False):
                        if record.identity() not in known:
                            known.add(record.identity())
                            exposed.setdefault(target, []).append(record)
                            changed = True
        answer = {i: r.figures for i, r in shown.items()}
        for target, (required, needed) in targets.items():
            records = self.candidates(target, exposed)
            for with_extras, search in itertools.product((False, True), ("singles", "sums")):
                found = self.singles(records, required, needed, target, with_extras, True) if search == "singles" else \
                    self.sums(records, required, needed, target, with_extras)
                if not found:
                    continue
                fewest = min(len(self.extras(r, target)) for r in found)
                best = [r for r in found if len(self.extras(r, target)) == fewest]
                if all(r.figures == best[0].figures for r in best):
                    answer[target] = best[0].figures
                break
        return answer


def breakdown_key(entity, qualifiers, metrics):
    plain = [{k: v for k, v in m.items() if k != "qualifiers" or v} for m in metrics]
    return entity, key(qualifiers), tuple(sorted(json.dumps(m, sort_keys=True) for m in plain))


def project(result):
    """Projected breakdowns as a Counter of breakdown_key."""
    answer = Projection(result).run()
    return Counter(breakdown_key(i, json.loads(q), m.values()) for i, f in answer.items() for q, m in f.items())
