// Messages between the main thread and the thread that runs local models.
import type { LocalModelName } from '../providers/index.ts'

export type ModelThreadData = {
  /** The folder that holds the hub's cache. */
  readonly home: string
}

/**
 * A job for one text. Without a text only the dimensions of the model's vectors are requested;
 * without a model the tokens of the text.
 */
export type ModelJob = {
  readonly job: number
  readonly name: LocalModelName | null
  readonly text: string | null
}

export type ModelReply =
  | { readonly kind: 'dimensions'; readonly job: number; readonly dimensions: number }
  | { readonly kind: 'vector'; readonly job: number; readonly vector: Float32Array }
  /** null means that the text is not too long. */
  | { readonly kind: 'tokens'; readonly job: number; readonly tokens: Uint32Array | null }
  /** The model cannot be used; `message` is for clients. */
  | { readonly kind: 'fault'; readonly job: number; readonly message: string }
  /** A programming error. */
  | { readonly kind: 'failed'; readonly job: number; readonly message: string }
