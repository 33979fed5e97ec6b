// Reads `config.json` of a model: its kind and its sizes.
import { quotedNames } from '../../../format/errors.ts'
import { isObject } from '../../../format/schema/index.ts'
import { ACTIVATIONS, type Activation } from './math.ts'
import { ModelFault } from './model-fault.ts'

export type ModelKind = 'bert' | 'modernbert' | 'xlm-roberta'

export type ModelConfig = {
  readonly kind: ModelKind
  /** Values per token. */
  readonly width: number
  readonly inner: number
  readonly layers: number
  readonly heads: number
  readonly vocabulary: number
  readonly positions: number
  /** Number of text types, or 0 for a model without types. */
  readonly types: number
  readonly paddingToken: number
  /** Epsilon of the norms. */
  readonly epsilon: number
  readonly activation: Activation
  /** ModernBERT: one layer in so many attends to all tokens, the others only up to a distance. */
  readonly globalEvery: number
  readonly reach: number
  readonly globalTheta: number
  readonly localTheta: number
}

const KINDS: readonly ModelKind[] = ['bert', 'modernbert', 'xlm-roberta']
/** Largest accepted size in a model: vocabularies have up to 300,000 words. */
const MEASURE_MAX = 10_000_000

/** @throws ModelFault */
export function readConfig(json: unknown): ModelConfig {
  if (!isObject(json)) throw new ModelFault('`config.json` is missing or no object')
  const kind = KINDS.find((one) => one === json['model_type'])
  if (kind === undefined) {
    throw new ModelFault(
      `models of the type \`${String(json['model_type'])}\` do not run here; ` +
        `those of the types ${quotedNames(KINDS)} do`,
    )
  }
  const number = (name: string, absent: number | null = null): number => {
    const value = json[name] ?? absent
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
    throw new ModelFault(`\`config.json\` has no number \`${name}\``)
  }
  const count = (name: string, absent: number | null = null): number => {
    const value = number(name, absent)
    if (Number.isInteger(value) && value > 0 && value <= MEASURE_MAX) return value
    throw new ModelFault(`\`${name}\` of \`config.json\` is ${value}`)
  }
  const name = String(json['hidden_act'] ?? json['hidden_activation'] ?? 'gelu')
  const activation = ACTIVATIONS.get(name)
  if (activation === undefined) throw new ModelFault(`the activation \`${name}\` is not known here`)
  const isModern = kind === 'modernbert'
  const [width, heads] = [count('hidden_size'), count('num_attention_heads')]
  if (width % (2 * heads) !== 0) throw new ModelFault(`${width} values do not fit ${heads} heads`)
  return {
    kind,
    width,
    heads,
    inner: count('intermediate_size'),
    layers: count('num_hidden_layers'),
    vocabulary: count('vocab_size'),
    positions: count('max_position_embeddings'),
    types: isModern ? 0 : count('type_vocab_size'),
    paddingToken: number('pad_token_id', kind === 'xlm-roberta' ? 1 : 0),
    epsilon: isModern ? number('norm_eps', 1e-5) : number('layer_norm_eps', 1e-12),
    activation,
    globalEvery: count('global_attn_every_n_layers', 3),
    reach: Math.floor(number('local_attention', 128) / 2),
    globalTheta: number('global_rope_theta', 160_000),
    localTheta: number('local_rope_theta', 10_000),
  }
}
