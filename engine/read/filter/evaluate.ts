// Evaluates a filter as operations on sets of documents; columns find the sets of conditions.
//
// A conjunction stops when it is empty, so that a faulty condition after that does not fail. If no
// condition is faulty, which is usual, conditions run cheapest first instead of from left to right,
// and those on one field of one kind run together.
import { type IdSet, IdUnion } from '../../../format/idset/index.ts'
import {
  type CompareNode,
  type ElementsNode,
  type FilterTree,
  type LeafNode,
  leaves,
} from '../filter-syntax/index.ts'
import { checkFilter, leafFault } from './check.ts'
import { ContainsAhead } from './contains-ahead.ts'
import type { FilterContext } from './context.ts'
import { Disjunction } from './disjunction.ts'
import { withElement } from './elements.ts'
import { evaluateLeaf, fieldOf, unionOf } from './evaluate-leaf.ts'
import { resolveForeign } from './foreign.ts'
import { SHARD_FIELD } from './gates.ts'

/** From this many conditions on, running them together is faster. */
const TOGETHER_MIN = 4
/** Up to 8 MB for an index of a million documents, until the search ends. */
const KNOWN_SETS_MAX = 64
/** Conditions between two checks of the clock during the search for faults. */
const CHECKS_STRIDE = 256

/** Returns the live documents that match. @throws EngineFault, errors of `checkpoint` */
export function evaluateFilter(sent: FilterTree, context: FilterContext): IdSet {
  const tree = resolveForeign(sent, context)
  checkFilter(tree, context.rules, context.wording)
  const ahead = new ContainsAhead(tree, context)
  const run: Run = { context, root: tree, isFaulty: mayFail(tree, context), ahead }
  return evaluate(tree, run)
}

/** Returns what of the universe of `context` matches a filter that was evaluated before. */
export const evaluateIn = (tree: FilterTree, context: FilterContext): IdSet =>
  evaluate(tree, {
    context,
    root: tree,
    isFaulty: false,
    ahead: new ContainsAhead(tree, context),
  }).and(context.universe)

type Run = {
  readonly context: FilterContext
  readonly root: FilterTree
  /** True if some condition has a fault, so that the order matters. */
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
  const { known } = run.context
  if (known === null) return compute(tree, run)
  const earlier = known.get(tree)
  if (earlier !== undefined) return earlier
  const found = compute(tree, run)
  if (known.size < KNOWN_SETS_MAX) known.set(tree, found)
  return found
}

function compute(tree: FilterTree, run: Run): IdSet {
  switch (tree.kind) {
    case 'and':
      return run.isFaulty ? andInOrder(tree.operands, run) : andCheapestFirst(tree.operands, run)
    case 'or':
      return any(tree.operands, run)
    case 'not':
      return run.context.universe.andNot(evaluate(tree.operand, run))
    case 'elements':
      return element(tree, run)
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

function element(node: ElementsNode, run: Run): IdSet {
  const { condition } = node
  run.context.checkpoint()
  if (run.isFaulty) refuseFaulty(condition, run)
  return withElement(node, run.context, (elements) =>
    evaluateIn(condition, { ...run.context, ...elements, known: null }),
  )
}

/** Without elements no condition would run: all are checked before. @throws EngineFault */
function refuseFaulty(condition: FilterTree, { context, root }: Run): void {
  for (const leaf of leaves(condition)) {
    const fault = leafFault(leaf, context, root)
    if (fault !== null) throw fault
  }
}

/** Returns the documents that match any of the trees. */
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

/** Nested disjunctions are flattened. */
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

/** Excluded documents are removed last, all together. */
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

/** Returns true for a `!=` that excludes the matches of `=`: on a field that some document had. */
const isUnequal = (tree: FilterTree, context: FilterContext): tree is CompareNode =>
  tree.kind === 'compare' &&
  tree.operator === '!=' &&
  tree.field.text !== SHARD_FIELD &&
  fieldOf(tree.field.text, context) !== null

/** A rough order: lookups, then ranges, then combinations, then scans of texts and points. */
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
    case 'elements':
      return 4
    default:
      return 1
  }
}
