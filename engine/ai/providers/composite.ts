// Two embedders in one: one embeds documents, the other queries. Both must return nearly the same
// vector for the same text.
import { reasonOf, runtimeError, userError } from './failure.ts'
import type { EmbeddingRun, Provider } from './provider.ts'

/** Texts for the comparison; the first one also serves to learn a model's dimensions. */
const TRIALS = ['test', 'test of a short sentence', 'test: how far apart are these two models?']
const DISTANCE_MAX = 0.01

/**
 * Compares the two sides. `takesTexts`: neither side uses fragments, which a text cannot replace.
 * @throws EmbeddingFailure, Canceled
 */
export async function checkSides(
  search: Provider,
  indexing: Provider,
  takesTexts: boolean,
  signal: AbortSignal | null,
): Promise<void> {
  if (search.dimensions !== indexing.dimensions) {
    throw userError(
      'error while generating test embeddings.\n' +
        '  - the dimensions of embeddings produced at search time and at indexing time ' +
        "don't match.\n" +
        `  - Search time dimensions: ${search.dimensions}\n` +
        `  - Indexing time dimensions: ${indexing.dimensions}\n` +
        '  - Note: Dimensions of embeddings produced by both embedders are required to match.',
    )
  }
  if (!takesTexts) return
  const run: EmbeddingRun = { signal, deadline: null, onRequest: () => undefined }
  const searched = await trial(search, 'search', run)
  const indexed = await trial(indexing, 'indexing', run)
  for (const [i, vector] of searched.entries()) {
    const distance = angularDistance(vector, indexed[i]!)
    if (distance <= DISTANCE_MAX) continue
    throw userError(
      'error while generating test embeddings.\n' +
        '  - the embeddings produced at search time and indexing time are not similar enough.\n' +
        `  - angular distance ${distance.toFixed(2)}\n` +
        `  - Svc requires a maximum distance of ${DISTANCE_MAX}.\n` +
        '  - Note: check that both embedders produce similar embeddings.',
    )
  }
}

async function trial(
  provider: Provider,
  side: 'search' | 'indexing',
  run: EmbeddingRun,
): Promise<readonly Float32Array[]> {
  try {
    return await provider.embed(TRIALS, run)
  } catch (error) {
    throw runtimeError(
      'error while generating test embeddings.\n' +
        `  - could not generate test embedding with embedder at ${side} time.\n` +
        `  - Embedding failed with ${reasonOf(error)}`,
    )
  }
}

/** Returns 0 for the same direction, 1 for opposite ones. */
function angularDistance(a: Float32Array, b: Float32Array): number {
  let dot = 0
  let aa = 0
  let bb = 0
  for (const [i, x] of a.entries()) {
    const y = b[i]!
    dot += x * y
    aa += x * x
    bb += y * y
  }
  const lengths = Math.sqrt(aa * bb)
  return lengths === 0 ? 0 : (1 - dot / lengths) / 2
}
