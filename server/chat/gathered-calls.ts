// Collects function calls from the chunks that contain their pieces.

import { chatError } from './chat-error.ts'
import type { CallPiece } from './chunks.ts'
import { ARGUMENTS_LENGTH_MAX, CALLS_MAX } from './limits.ts'

export type Call = {
  readonly id: string
  readonly name: string
  /** JSON, if the model made no mistake. */
  readonly arguments: string
}

type Open = { id: string; name: string; readonly pieces: string[] }

export class GatheredCalls {
  readonly #calls = new Map<number, Open>()
  #length = 0

  get isEmpty(): boolean {
    return this.#calls.size === 0
  }

  /** @throws ChatError if a model makes more calls than allowed */
  add(pieces: readonly CallPiece[]): void {
    for (const { index, id, function: called } of pieces) {
      const call = this.#calls.get(index) ?? this.#begin(index)
      if (id) call.id = id
      if (called?.name) call.name = called.name
      const piece = called?.arguments ?? ''
      this.#length += piece.length
      if (this.#length > ARGUMENTS_LENGTH_MAX) {
        const words = `arguments of calls are longer than ${ARGUMENTS_LENGTH_MAX} characters`
        throw chatError('invalid_argument', words)
      }
      if (piece !== '') call.pieces.push(piece)
    }
  }

  /** Removes and returns all calls in order. */
  take(): readonly Call[] {
    const calls = [...this.#calls]
      .sort(([a], [b]) => a - b)
      .map(([, { id, name, pieces }]) => ({ id, name, arguments: pieces.join('') }))
    this.#calls.clear()
    this.#length = 0
    return calls
  }

  #begin(index: number): Open {
    if (this.#calls.size === CALLS_MAX) {
      throw chatError(
        'invalid_argument',
        `the model calls more than ${CALLS_MAX} functions in one answer`,
      )
    }
    const call = { id: '', name: '', pieces: [] }
    this.#calls.set(index, call)
    return call
  }
}
