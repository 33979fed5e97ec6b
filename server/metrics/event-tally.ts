// What the server does besides answering requests, counted where it happens.

export type ChatTokens = { readonly prompt: number; readonly completion: number }

/** Models that are told apart, of each workspace: clients write their names. */
const MODELS_MAX = 100
/** Stands for the models beyond. */
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

  /** A webhook was not told of a batch. */
  webhookFailure(uuid: string): void {
    this.#webhookFailures.set(uuid, (this.#webhookFailures.get(uuid) ?? 0) + 1)
  }

  personalizedSearch(): void {
    this.#personalizedSearches++
  }

  /** `type`: who asked for it, `internal` for a model. */
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
