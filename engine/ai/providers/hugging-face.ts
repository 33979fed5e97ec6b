// Models that run in this process, in a separate thread.
import { HUGGING_FACE_MODEL_DEFAULT, type NestedEmbedder } from '../../settings/embedders/index.ts'
import { runtimeError } from './failure.ts'
import type { LocalModelName, Provider, ProviderEnvironment } from './provider.ts'

/** The commit of the default model. */
const REVISION_DEFAULT = '617ca489d9e86b49b8167676d8220688b99db36e'

export async function openHuggingFace(
  { model = HUGGING_FACE_MODEL_DEFAULT, revision, pooling = 'useModel' }: NestedEmbedder,
  { models }: ProviderEnvironment,
): Promise<Provider> {
  if (models === null) throw runtimeError('no thread for local models was started')
  const known = model === HUGGING_FACE_MODEL_DEFAULT ? REVISION_DEFAULT : null
  const name: LocalModelName = { model, revision: revision ?? known, pooling }
  const dimensions = await models.dimensions(name)
  return {
    dimensions,
    embed: async (inputs, { signal }) => {
      const vectors = await models.embed(name, inputs.map(String), signal)
      if (vectors.every((vector) => vector.every(Number.isFinite))) return vectors
      throw runtimeError(`the model \`${model}\` computes numbers that are not finite`)
    },
  }
}
