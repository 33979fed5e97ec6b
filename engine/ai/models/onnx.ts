// ONNX models, of any architecture that computes a row for each token: another library runs them.
import { isObject } from '../../../format/schema/index.ts'
import type { Encoder } from './encoder.ts'
import { ONNX_TOKENS } from './limits.ts'
import { ModelFault } from './model-fault.ts'
import type { OnnxRuntime, OnnxSession, OnnxTensor } from './onnx-runtime.ts'

/** Kinds whose positions begin after the number of the padding token. */
const SHIFTED_KINDS: ReadonlySet<unknown> = new Set([
  'xlm-roberta',
  'roberta',
  'camembert',
  'mpnet',
])
/** Names of the output with the rows. */
const ROWS = ['last_hidden_state', 'token_embeddings']
/** A token that every vocabulary has. */
const FIRST_TOKEN = new Uint32Array(1)

/** `config`: the content of `config.json`. @throws ModelFault */
export async function openOnnx(
  { InferenceSession, Tensor }: OnnxRuntime,
  model: Uint8Array,
  config: unknown,
): Promise<Encoder> {
  let session: OnnxSession
  try {
    // Texts come one by one; more threads would take processor time from searches.
    session = await InferenceSession.create(model, { intraOpNumThreads: 1 })
  } catch (error) {
    throw new ModelFault(`\`model.onnx\` cannot be used: ${(error as Error).message}`)
  }
  const tensorsOf = (tokens: Uint32Array): { readonly [name: string]: OnnxTensor } =>
    Object.fromEntries(
      session.inputNames.map((name) => {
        const numbers = BigInt64Array.from(tokens, (token, at) => inputOf(name, token, at))
        return [name, new Tensor('int64', numbers, [1, tokens.length])]
      }),
    )
  const encode = async (tokens: Uint32Array): Promise<Float32Array> => {
    const inputs = tensorsOf(tokens)
    try {
      return rowsOf(await session.run(inputs), tokens.length)
    } catch (error) {
      if (error instanceof ModelFault) throw error
      throw new ModelFault(`\`model.onnx\` failed: ${(error as Error).message}`)
    }
  }
  const width = (await encode(FIRST_TOKEN)).length
  return { width, ...measuresOf(config), encode, close: () => session.release() }
}

/** @throws ModelFault for an input that is not supported */
function inputOf(name: string, token: number, at: number): bigint {
  switch (name) {
    case 'input_ids':
      return BigInt(token)
    case 'attention_mask':
      return 1n
    case 'token_type_ids':
      return 0n
    case 'position_ids':
      return BigInt(at)
    default:
      throw new ModelFault(`\`model.onnx\` asks for \`${name}\`, which is not known here`)
  }
}

/** Returns the output with a row for each token. @throws ModelFault */
function rowsOf(outputs: { readonly [name: string]: OnnxTensor }, tokens: number): Float32Array {
  const named = ROWS.map((name) => outputs[name]).filter((one) => one !== undefined)
  const rows = [...named, ...Object.values(outputs)].find(
    ({ dims }) => dims.length === 3 && dims[0] === 1 && dims[1] === tokens,
  )
  if (rows === undefined) throw new ModelFault('`model.onnx` makes no row of each token')
  if (rows.data instanceof Float32Array) return rows.data
  throw new ModelFault(`the numbers of \`model.onnx\` are ${rows.type}, not 32-bit floats`)
}

/** Returns the limits of texts, if `config.json` states them. */
function measuresOf(config: unknown): { readonly tokensMax: number; readonly vocabulary: number } {
  const members = isObject(config) ? config : {}
  const number = (name: string, absent: number): number => {
    const value = members[name]
    return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : absent
  }
  const positions = number('max_position_embeddings', ONNX_TOKENS)
  const isShifted = SHIFTED_KINDS.has(members['model_type'])
  const tokensMax = isShifted ? positions - number('pad_token_id', 1) - 1 : positions
  return {
    tokensMax: Math.max(1, tokensMax),
    vocabulary: number('vocab_size', Number.MAX_SAFE_INTEGER),
  }
}
