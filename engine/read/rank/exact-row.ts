// The words of a query in a row, as an attribute or an element of a list that equals the query has
// them.
import { WIDE_STEP } from '../../text/index.ts'
import type { ElementWord } from '../phrases/index.ts'
import type { GraphNode, QueryGraph, TermSpace } from '../query-graph/index.ts'
import type { RuleContext } from './rule.ts'

export type ExactRow = {
  readonly nodes: readonly GraphNode[]
  /** Words and their positions, ascending; at least one. */
  readonly words: readonly ElementWord[]
  /** How many words of a field these are: stop words do not count. */
  readonly span: number
  /** The searched fields in which each of the words occurs in some document. */
  readonly fields: readonly number[]
}

/** Returns the row of a graph, or null if nothing can equal it. */
export function exactRow(
  { space, searchableFields }: RuleContext,
  graph: QueryGraph,
): ExactRow | null {
  const nodes = exactNodes(space, graph)
  if (nodes === null) return null
  const words: ElementWord[] = []
  let span = 0
  for (const node of nodes) {
    const counted = placeWords(space, node, words)
    if (counted === 0) return null
    span += counted
  }
  let fields = space.scope.fields ?? searchableFields()
  for (const { word } of words) {
    const found = space.index.fieldsOf([word])
    fields = fields.filter((field) => found.has(field))
  }
  return { nodes, words, span, fields }
}

/** Returns true if the node may still match exactly; n-grams never do. */
export const isExactAllowed = (node: GraphNode): boolean =>
  !node.term.isNgram && ((node.mask & 1) !== 0 || node.exactOnly)

/**
 * Returns the nodes that can be exact (a phrase, or a word of the index), from the first query word
 * on without a gap, or null without such nodes. Missing words after them do not matter.
 */
function exactNodes(space: TermSpace, graph: QueryGraph): GraphNode[] | null {
  const byFirst = new Map<number, GraphNode>()
  for (const [, node] of graph.present()) {
    if (!isExactAllowed(node)) continue
    const isIndexed = node.term.phrase !== null || space.index.word(node.term.text!) !== null
    if (isIndexed) byFirst.set(node.idFirst, node)
  }
  const nodes = [...byFirst.values()].sort((a, b) => a.idFirst - b.idFirst)
  if (nodes.length === 0 || nodes.some((node, i) => node.idFirst !== i)) return null
  return nodes
}

/**
 * Adds the words of an exact node with their positions. Returns how many words of a field they are,
 * where stop words do not count; 0 if the index lacks one.
 */
function placeWords(space: TermSpace, node: GraphNode, placed: ElementWord[]): number {
  const { phrase, text } = node.term
  const words = phrase === null ? [text!] : phrase.words
  let position = node.positionFirst
  let counted = 0
  for (let i = 0; i < words.length; i++) {
    if (phrase?.breaks.includes(i) === true) position += WIDE_STEP - 1
    const word = space.word(words[i]!)
    if (word === null) return 0
    placed.push({ word, position: position++ & 0xffff })
    if (word.text === words[i]) counted++
  }
  return counted
}
