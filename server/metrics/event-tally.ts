// Counts the server's work besides requests, at the places where it happens.
import type { Uuid } from '../../format/ids.ts'

export type ChatTokens = { readonly prompt: number; readonly completion: number }

/** Models counted separately per workspace; clients choose their names. */
const MODELS_MAX = 100
/** Stands for further models. */
const OTHER_MODELS = 'other'

export class EventTally {
  #personalizedSearches = 0
  readonly #chatSearches = new Map<string, number>()
  /** By the uuid of the webhook. */
  readonly #webhookFailures = new Map<string, number>()
  /** Workspace → model → tokens. */
  readonly #chatTokens = new Map<string, Map<string, ChatTokens>>()

  get personalizedSearches(): number {
    return this.#personalizedSearches
  }

  get chatSearches(): ReadonlyMap<string, number> {
    return this.#chatSearches
  }

  get chatTokens(): ReadonlyMap<string, ReadonlyMap<string, ChatTokens>> {
    return this.#chatTokens
  }

  get webhookFailures(): ReadonlyMap<string, number> {
    return this.#webhookFailures
  }

  /** Counts a failed delivery of a batch to a webhook. */
  webhookFailure(uuid: Uuid): void {
    this.#webhookFailures.set(uuid, (this.#webhookFailures.get(uuid) ?? 0) + 1)
  }

  personalizedSearch(): void {
    this.#personalizedSearches++
  }

  /** `type`: the source of the search, `internal` for a model. */
  chatSearch(type: string): void {
    this.#chatSearches.set(type, (this.#chatSearches.get(type) ?? 0) + 1)
  }

  chatAnswer(workspace: string, model: string, { prompt, completion }: ChatTokens): void {
    const models = this.#chatTokens.get(workspace) ?? new Map<string, ChatTokens>()
    this.#chatTokens.set(workspace, models)
    const name = models.has(model) || models.size < MODELS_MAX ? model : OTHER_MODELS
    const before = models.get(name) ?? { prompt: 0, completion: 0 }
    models.set(name, {
      prompt: before.prompt + prompt,
      completion: before.completion + completion,
    })
  }
}
