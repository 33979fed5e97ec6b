// The query of the naive model of ranking: its terms, and the nodes that read them.

/** Words in quotes, or a single word. */
export type ModelTerm = { readonly words: readonly string[]; readonly isPhrase: boolean }

/** A node of the query graph: a term, or up to three words read as one. */
export type ModelNode = {
  readonly idFirst: number
  readonly idLast: number
  readonly position: number
  readonly positionLast: number
  readonly text: string | null
  readonly phrase: readonly string[] | null
  readonly parts: readonly string[]
  readonly isPrefix: boolean
}

export const queryText = (terms: readonly ModelTerm[], isPrefix: boolean): string =>
  terms.map(({ words, isPhrase }) => (isPhrase ? `"${words.join(' ')}"` : words[0])).join(' ') +
  (isPrefix ? '' : ' ')

export function nodesOf(terms: readonly ModelTerm[], isPrefix: boolean): ModelNode[] {
  const starts: number[] = []
  let position = 0
  for (const { words } of terms) {
    starts.push(position)
    position += words.length
  }
  return terms.flatMap((term, id) => {
    const sizes = [1, 2, 3].filter(
      (size) =>
        size === 1 ||
        (size <= id + 1 && terms.slice(id + 1 - size, id + 1).every(({ isPhrase }) => !isPhrase)),
    )
    return sizes.map((size): ModelNode => {
      const parts = terms.slice(id + 1 - size, id + 1).map(({ words }) => words[0]!)
      return {
        idFirst: id + 1 - size,
        idLast: id,
        position: starts[id + 1 - size]!,
        positionLast: starts[id]! + term.words.length - 1,
        text: term.isPhrase ? null : parts.join(''),
        phrase: term.isPhrase ? term.words : null,
        parts: term.isPhrase ? [] : parts,
        isPrefix: isPrefix && !term.isPhrase && id === terms.length - 1,
      }
    })
  })
}

export function readingsFrom(nodes: readonly ModelNode[], id: number, end: number): ModelNode[][] {
  if (id === end) return [[]]
  return nodes
    .filter(({ idFirst }) => idFirst === id)
    .flatMap((node) => readingsFrom(nodes, node.idLast + 1, end).map((rest) => [node, ...rest]))
}

export const idsOf = ({ idFirst, idLast }: ModelNode): number => idLast - idFirst + 1

/** Returns true if a node directly follows another in the query. */
export const isBehind = (right: ModelNode, left: ModelNode | undefined): boolean =>
  left !== undefined && left.positionLast + 1 === right.position
