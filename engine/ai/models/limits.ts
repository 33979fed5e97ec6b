// Limits of local models, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/** A model that was not used for so long is forgotten: a base model holds 440 MB. */
export const IDLE_MS = 10 * 60_000
/** Models in memory at once. */
export const MODELS_MAX = 4
/** Tokens of a text for a model that comes as ONNX and does not say how many it reads. */
export const ONNX_TOKENS = 512
/** Characters of a text that the tokenizer is given: models read a few hundred to 8192 tokens. */
export const TEXT_LENGTH_MAX = 100_000
/** Bytes of the JSON files of a model: vocabularies of 250,000 tokens have 17 MB. */
export const JSON_BYTES_MAX = 64 * MiB
/** Bytes of a file that names a commit. */
export const REF_BYTES_MAX = 1000
