// Runs a filter: which documents match. Sets are combined as sets; how columns find theirs is their
// matter.
//
// A conjunction stops when it is empty, so that a faulty condition behind an empty one goes
// unnoticed. Where no condition is faulty, which is the rule, conditions run cheapest first instead
// of from left to right, and those of one field and kind run together.
import { type IdSet, IdUnion } from '../../../format/idset/index.ts'
import { checkFilter, leafFault } from './check.ts'
import { ContainsAhead } from './contains-ahead.ts'
import type { FilterContext } from './context.ts'
import { Disjunction } from './disjunction.ts'
import { evaluateLeaf, fieldOf, unionOf } from './evaluate-leaf.ts'
import { resolveForeign } from './foreign.ts'
import { SHARD_FIELD } from './gates.ts'
import { type CompareNode, type FilterTree, type LeafNode, leaves } from './tree.ts'

/** From so many conditions on it pays to run them together. */
const TOGETHER_MIN = 4
/** Conditions between two looks at the clock while faults are looked for. */
const CHECKS_STRIDE = 256

/** The live documents that match. @throws EngineFault, what `checkpoint` throws */
export function evaluateFilter(sent: FilterTree, context: FilterContext): IdSet {
  const tree = resolveForeign(sent, context)
  checkFilter(tree, context.rules, context.wording)
  const ahead = new ContainsAhead(tree, context)
  const run: Run = { context, root: tree, isFaulty: mayFail(tree, context), ahead }
  return evaluate(tree, run)
}

type Run = {
  readonly context: FilterContext
  readonly root: FilterTree
  /** Some condition has a fault: order matters. */
  readonly isFaulty: boolean
  readonly ahead: ContainsAhead
}

function mayFail(tree: FilterTree, context: FilterContext): boolean {
  let checks = 0
  for (const leaf of leaves(tree)) {
    if (++checks % CHECKS_STRIDE === 0) context.checkpoint()
    if (leafFault(leaf, context, tree) !== null) return true
  }
  return false
}

function evaluate(tree: FilterTree, run: Run): IdSet {
  switch (tree.kind) {
    case 'and':
      return run.isFaulty ? andInOrder(tree.operands, run) : andCheapestFirst(tree.operands, run)
    case 'or':
      return any(tree.operands, run)
    case 'not':
      return run.context.universe.andNot(evaluate(tree.operand, run))
    default:
      return runLeaf(tree, run)
  }
}

function runLeaf(leaf: LeafNode, { context, root, isFaulty, ahead }: Run): IdSet {
  context.checkpoint()
  if (isFaulty) {
    const fault = leafFault(leaf, context, root)
    if (fault !== null) throw fault
  }
  return evaluateLeaf(leaf, context, ahead)
}

/** What any of the trees finds. */
function any(trees: readonly FilterTree[], run: Run): IdSet {
  const { context } = run
  if (run.isFaulty || trees.length < TOGETHER_MIN) {
    return unionOf(trees, (tree) => evaluate(tree, run), context)
  }
  const together = new Disjunction(context)
  const union = new IdUnion(context.universe.max + 1)
  addAny(trees, run, together, union)
  together.addTo(union)
  return union.take()
}

/** A disjunction within a disjunction is part of it. */
function addAny(
  trees: readonly FilterTree[],
  run: Run,
  together: Disjunction,
  union: IdUnion,
): void {
  for (const tree of trees) {
    run.context.checkpoint()
    if (tree.kind === 'or') addAny(tree.operands, run, together, union)
    else if (!together.take(tree)) union.addSet(evaluate(tree, run))
  }
}

function andInOrder(operands: readonly FilterTree[], run: Run): IdSet {
  let found: IdSet | null = null
  for (const operand of operands) {
    const matching = evaluate(operand, run)
    found = found === null ? matching : found.and(matching)
    if (found.isEmpty) return found
  }
  return found ?? run.context.universe
}

/** What is excluded comes last, all of it at once. */
function andCheapestFirst(operands: readonly FilterTree[], run: Run): IdSet {
  const positive: FilterTree[] = []
  const excluded: FilterTree[] = []
  const isMany = operands.length >= TOGETHER_MIN
  for (const operand of operands) {
    if (operand.kind === 'not') excluded.push(operand.operand)
    else if (isMany && isUnequal(operand, run.context)) {
      excluded.push({ ...operand, operator: '=' })
    } else positive.push(operand)
  }
  positive.sort((a, b) => costOf(a) - costOf(b))
  const found = andInOrder(positive, run)
  if (excluded.length >= TOGETHER_MIN) {
    return found.isEmpty ? found : found.andNot(any(excluded, run))
  }
  let left = found
  for (const operand of excluded) {
    if (left.isEmpty) return left
    left = left.andNot(evaluate(operand, run))
  }
  return left
}

/** Whether it is a `!=` that excludes what its `=` finds: on a field that documents ever had. */
const isUnequal = (tree: FilterTree, context: FilterContext): tree is CompareNode =>
  tree.kind === 'compare' &&
  tree.operator === '!=' &&
  tree.field.text !== SHARD_FIELD &&
  fieldOf(tree.field.text, context) !== null

/**
 * A rough order: look-ups, then ranges, then what combines others, then scans of texts and places.
 */
function costOf(tree: FilterTree): number {
  switch (tree.kind) {
    case 'compare':
      return tree.operator === '=' || tree.operator === '!=' ? 1 : 2
    case 'between':
    case 'startsWith':
    case 'geoBox':
      return 2
    case 'and':
    case 'or':
    case 'not':
      return 3
    case 'contains':
    case 'geoRadius':
    case 'geoPolygon':
      return 4
    default:
      return 1
  }
}
