// Settings imported together with vectors from a dump: indexing fragments keep the order of the
// dump. A usual change of settings adds new fragments in name order, while the vectors of a
// document follow the order in which its fragments were added.
import type {
  Embedder,
  EmbedderPatch,
  NestedEmbedder,
  NestedEmbedderPatch,
} from './embedders/index.ts'
import type { IndexSettings, SettingsPatch } from './types.ts'

/**
 * Returns `settings`, which result from `patch` alone, with the indexing fragments in the order of
 * `patch`.
 */
export function withFragmentOrder(settings: IndexSettings, patch: SettingsPatch): IndexSettings {
  const embedders = Object.entries(settings.embedders).map(([name, embedder]) => {
    const given = patch.embedders?.[name]
    return [name, given == null ? embedder : embedderInOrder(embedder, given)] as const
  })
  return { ...settings, embedders: Object.fromEntries(embedders) }
}

function embedderInOrder(embedder: Embedder, given: EmbedderPatch): Embedder {
  const ordered = sideInOrder(embedder, given)
  const { indexingEmbedder: side } = ordered
  const givenSide = given.indexingEmbedder
  if (side === undefined || givenSide == null) return ordered
  return { ...ordered, indexingEmbedder: sideInOrder(side, givenSide) }
}

function sideInOrder<E extends NestedEmbedder>(side: E, given: NestedEmbedderPatch): E {
  const { indexingFragments: fragments } = side
  if (fragments === undefined || given.indexingFragments == null) return side
  const names = Object.keys(given.indexingFragments).filter((name) =>
    Object.hasOwn(fragments, name),
  )
  const ordered = Object.fromEntries(names.map((name) => [name, fragments[name]!]))
  return { ...side, indexingFragments: ordered }
}
