// Embedders as clients read them and as tasks show their changes: secrets masked, also inside
// composite ones.
import { compareText } from '../../../format/bytes/index.ts'
import { maskSecret } from '../schema/index.ts'
import { inFieldOrder } from './checks.ts'
import { isPartOfComposite } from './fields.table.ts'
import { shownEmbedder } from './merge.ts'
import type { EmbedderPatches, Embedders, NestedEmbedderPatch } from './types.ts'

/** Returns the embedders for clients: defaults shown, keys masked. */
export function renderEmbedders(embedders: Embedders): Embedders {
  const shown = Object.entries(embedders).map(
    ([name, embedder]) => [name, masked(shownEmbedder(embedder))] as const,
  )
  return Object.fromEntries(shown)
}

/** Returns a change of embedders for the task's details: as sent, keys masked. */
export function renderEmbedderPatches(patches: EmbedderPatches): EmbedderPatches {
  const shown = Object.keys(patches)
    .sort(compareText)
    .map((name) => {
      const patch = patches[name]
      return [name, patch ? masked(inFieldOrder(patch)) : null] as const
    })
  return Object.fromEntries(shown)
}

const masked = <E extends NestedEmbedderPatch>(embedder: E): E => {
  const members: { readonly [member: string]: unknown } = embedder
  const shown = Object.entries(members).map(([member, value]) => {
    if (member === 'apiKey' && typeof value === 'string') return [member, maskSecret(value)]
    if (isFragments(member) && typeof value === 'object' && value !== null) {
      return [member, byName(value)]
    }
    if (isPartOfComposite(member) && typeof value === 'object' && value !== null) {
      return [member, masked(inFieldOrder(value as NestedEmbedderPatch))]
    }
    return [member, value]
  })
  return Object.fromEntries(shown)
}

const isFragments = (member: string): boolean =>
  member === 'indexingFragments' || member === 'searchFragments'

const byName = (fragments: object): object =>
  Object.fromEntries(Object.entries(fragments).sort(([a], [b]) => compareText(a, b)))
