// What crosses between the main thread and the one that runs local models.
import type { LocalModelName } from '../providers/index.ts'

export type ModelThreadData = {
  /** The folder that holds the hub's cache. */
  readonly home: string
}

/**
 * One text, or none: what the model's vectors are like is all that is asked. Without a model the
 * tokens of the text are.
 */
export type ModelJob = {
  readonly job: number
  readonly name: LocalModelName | null
  readonly text: string | null
}

export type ModelReply =
  | { readonly kind: 'dimensions'; readonly job: number; readonly dimensions: number }
  | { readonly kind: 'vector'; readonly job: number; readonly vector: Float32Array }
  /** null: the text is not too long. */
  | { readonly kind: 'tokens'; readonly job: number; readonly tokens: Uint32Array | null }
  /** The model cannot be used; words for clients. */
  | { readonly kind: 'fault'; readonly job: number; readonly message: string }
  /** A mistake of ours. */
  | { readonly kind: 'failed'; readonly job: number; readonly message: string }
