"""The innermost loops of a flow of control that hold matrix instructions.

Loops are found as strongly connected parts and not by branches back to an earlier place: LLVM and ptxas put a loop's head behind its
end, and waits for barriers at the end of the code.
"""


def find_components(nodes, successors):
    """The strongly connected parts, by Tarjan's algorithm without recursion."""
    numbers, lowest, path, on_path, components = {}, {}, [], set(), []

    def enter(node):
        numbers[node] = lowest[node] = len(numbers)
        path.append(node)
        on_path.add(node)
        return node, iter(successors[node])

    for root in nodes:
        pending = [enter(root)] if root not in numbers else []
        while pending:
            node, following = pending[-1]
            next_node = next((n for n in following if n in nodes and (n not in numbers or n in on_path)), None)
            if next_node is None:
                pending.pop()
                if pending:
                    lowest[pending[-1][0]] = min(lowest[pending[-1][0]], lowest[node])
                if lowest[node] == numbers[node]:
                    components.append(frozenset(path[path.index(node):]))
                    del path[path.index(node):]
                    on_path -= components[-1]
            elif next_node not in numbers:
                pending.append(enter(next_node))
            else:
                lowest[node] = min(lowest[node], numbers[next_node])
    return components


def find_main_loops(nodes, successors, is_matrix, entries):
    """The loops, as sets of nodes. Control comes from outside to `entries` and to what nodes outside a loop lead to: without these
    heads the loops in a loop are found in the same way."""
    loops = []
    for component in find_components(nodes, successors):
        if len(component) == 1 and not any(node in successors[node] for node in component):
            continue
        if not any(map(is_matrix, component)):
            continue
        outside = entries | {next_node for node in nodes - component for next_node in successors[node]}
        heads = component & outside
        inner = find_main_loops(component - heads, successors, is_matrix, {n for head in heads for n in successors[head]})
        loops += inner or [component]
    return loops
