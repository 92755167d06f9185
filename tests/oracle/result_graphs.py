"""Random small results: segments, cascades, chains, groups, modules, call paths and operators, with figures here and
there. Some are forests, some are not."""
KINDS = [{"id": "segment", "child_kinds": ["cascade", "source_operator"]},
         {"id": "cascade", "parent_kinds": ["segment"], "child_kinds": ["chain"]},
         {"id": "chain", "parent_kinds": ["cascade"], "child_kinds": ["source_operator", "performance_group"]},
         {"id": "performance_group", "parent_kinds": ["chain"], "child_kinds": ["source_operator"]},
         {"id": "nn_module", "parent_kinds": ["nn_module"], "child_kinds": ["nn_module", "source_operator"]}]
FIGURES = {"chain": .8, "cascade": .4, "performance_group": .3, "source_operator": .1, "segment": .1, "nn_module": .05,
           "code_stack": .02}


class Graph:
    def __init__(self, random):
        self.random = random
        self.entities, self.edges = {}, set()
        self.mess = random.choice([0, 0, .15, .4])

    def add(self, entity, kind):
        self.entities[entity] = {"id": entity, "kind": kind, "name": entity}
        return entity

    def group(self, items, prefix, kind, lost):
        """New entities above `items`, one to three each; `mess` makes some overlap."""
        made, pool = [], list(items)
        if self.mess:
            self.random.shuffle(pool)
        while pool:
            size = self.random.randint(1, 3)
            part, pool = pool[:size], pool[size:]
            if self.random.random() < lost:
                continue
            entity = self.add(f"{prefix}{len(made)}", kind)
            self.edges |= {(entity, item) for item in part}
            self.edges |= {(entity, item) for item in items if self.random.random() < self.mess / 3}
            made.append(entity)
        return made

    def split_chain(self, chain):
        """Performance groups between a chain and its operators."""
        children = sorted(b for a, b in self.edges if a == chain)
        for n in range(0, len(children), 2):
            entity = self.add(f"performance_group/{chain[-1]}/{n}", "performance_group")
            for child in children[n:n + 2]:
                self.edges.add((entity, child))
                if self.random.random() < .8:
                    self.edges.discard((chain, child))
            self.edges.add((chain, entity))


def metric(random, name):
    made = {"name": name, "unit": "cycles"}
    if random.random() < .07:
        made.update(availability="unavailable", reason="no")
    else:
        made["value"] = random.randint(0, 1000)
        choice = random.random()
        if choice < .92:
            made["aggregation"] = "sum" if choice < .85 else "max"
        if random.random() < .15:
            made["samples"] = random.randint(1, 4)
    if random.random() < .06:
        made["qualifiers"] = {"placement": random.choice(["NX", "CPU"])}
    return made


def breakdowns(random, graph):
    made, simple, style = [], random.random() < .5, random.random()
    for entity, content in graph.entities.items():
        likely = FIGURES[content["kind"]]
        if style < .4:
            likely = {"chain": 1, "cascade": style < .2}.get(content["kind"], 0)
        if random.random() >= likely:
            continue
        for _ in range(1 if random.random() < .9 else 2):
            breakdown = {"entity_id": entity, "metrics": [
                {"name": n, "value": random.randint(0, 1000), "unit": "cycles", "aggregation": "sum"} if simple
                else metric(random, n) for n in ("total_cycles", "dram_cycles") if simple or random.random() < .9]}
            if random.random() < .08:
                breakdown["qualifiers"] = {"phase": random.choice(["before", "after"])}
            made += [breakdown] * (2 if random.random() < .05 else 1)
    return made


def make(random):
    """One result, valid by rules R1-R5."""
    graph = Graph(random)
    operators = [graph.add(f"source_operator/{i}", "source_operator") for i in range(random.randint(1, 7))]
    chains = graph.group(operators, "chain/segment_0/", "chain", .05)
    for chain in chains:
        if random.random() < .15:
            graph.split_chain(chain)
    segments = graph.group(graph.group(chains, "cascade/segment_0/", "cascade", .1), "segment/", "segment", .1)
    if segments and random.random() < .3:
        graph.edges.add((random.choice(segments), random.choice(operators)))
    modules = graph.group(operators, "nn_module/m", "nn_module", .1) if random.random() < .8 else []
    if modules and random.random() < .7:
        graph.group(graph.group(modules, "nn_module/r", "nn_module", .1), "nn_module/z", "nn_module", .5)
    if random.random() < .5:
        stacks = graph.group(operators, "code_stack/s", "code_stack", .1)
        graph.edges |= {(a, b) for a in stacks for b in stacks if a < b and random.random() < graph.mess / 2}
    for entity, content in graph.entities.items():
        content["child_ids"] = sorted(b for a, b in graph.edges if a == entity)
        content["parent_ids"] = sorted(a for a, b in graph.edges if b == entity)
    return {"kind": "performance", "status": "ok", "producer": "x", "breakdowns": breakdowns(random, graph),
            "entities": list(graph.entities.values()), "entity_kinds": KINDS}
