// Tries new or changed embedders before they are stored: parses their fragments and calls their
// providers for facts such as dimensions.
import type { IndexUid } from '../../../format/ids.ts'
import { EmbeddingFailure } from '../../ai/providers/index.ts'
import { type Templates, textPaths } from '../../ai/template/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { Embedder, Embedders } from '../../settings/embedders/index.ts'
import type { TaskEnvironment } from '../kind/index.ts'

/** @throws EngineFault vector_embedding_error, Canceled */
export async function tryEmbedders(
  { templates, providers }: Pick<TaskEnvironment, 'templates' | 'providers'>,
  indexUid: IndexUid,
  before: Embedders,
  after: Embedders,
  signal: AbortSignal,
): Promise<void> {
  if (before === after) return
  for (const [name, embedder] of Object.entries(after)) {
    if (JSON.stringify(before[name]) === JSON.stringify(embedder)) continue
    try {
      await checkFragments(embedder, templates)
      await providers?.check(embedder, signal)
    } catch (error) {
      if (!(error instanceof EmbeddingFailure)) throw error
      throw new EngineFault(
        'vector_embedding_error',
        `Index \`${indexUid}\`: Error while generating embeddings: ${error.reason}`,
      )
    }
  }
}

/** @throws EmbeddingFailure */
async function checkFragments(embedder: Embedder, templates: Templates): Promise<void> {
  const { searchEmbedder, indexingEmbedder } = embedder
  for (const part of [embedder, searchEmbedder, indexingEmbedder]) {
    for (const member of ['indexingFragments', 'searchFragments'] as const) {
      for (const [name, { value }] of Object.entries(part?.[member] ?? {})) {
        await checkFragment(value, `.${member}.${name}`, templates)
      }
    }
  }
}

async function checkFragment(value: unknown, place: string, templates: Templates): Promise<void> {
  const outcome = await templates.run({ source: value, input: null }, { isOurs: true })
  if (outcome.kind !== 'fault') return
  const path = [...textPaths(value)][outcome.at ?? 0] ?? ''
  const where = path === '' ? '' : `in \`\`${place}${path}\`\`, `
  throw new EmbeddingFailure(
    `user error: ${where}error while parsing template: liquid: ${outcome.words}`,
  )
}
