// Limits of local models, each with its reason.
import { MiB } from '../../../format/bytes/index.ts'

/**
 * An unused model is dropped from memory after this time: a base model has 110 million weights of
 * four bytes.
 */
export const IDLE_MS = 10 * 60_000
/** Models in memory at the same time. */
export const MODELS_MAX = 4
/** Tokens of a text for an ONNX model whose files do not state its limit. */
export const ONNX_TOKENS = 512
/** Characters of a text that the tokenizer receives: models read a few hundred to 8192 tokens. */
export const TEXT_LENGTH_MAX = 100_000
/** Bytes of the JSON files of a model: vocabularies of 250,000 tokens have 17 MB. */
export const JSON_BYTES_MAX = 64 * MiB
/** Bytes of a file that names a commit. */
export const REF_BYTES_MAX = 1000
