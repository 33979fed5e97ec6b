// All requests share the room for answers; a request that gathers alone is never refused.
import { describe, expect, it } from 'vitest'
import { AnswerRoom } from './answer-room.ts'

describe('room for answers', () => {
  it('is refused to an answer that does not fit beside others', () => {
    const room = new AnswerRoom(100)
    const [first, second] = [room.share(), room.share()]
    first.take(60)
    second.take(40)
    expect(() => second.take(1)).toThrow(expect.objectContaining({ code: 'too_many_answers' }))
    expect(() => first.take(1)).toThrow(expect.objectContaining({ code: 'too_many_answers' }))
    expect(room.bytes).toBe(100)
    first.release()
    second.take(60)
    expect(room.bytes).toBe(100)
    second.release()
    second.release()
    expect(room.bytes).toBe(0)
  })

  it('is never refused to a request that is alone', () => {
    const room = new AnswerRoom(100)
    const alone = room.share()
    alone.take(90)
    alone.take(900)
    expect(room.bytes).toBe(990)
    expect(() => room.share().take(1)).toThrow()
    alone.release()
    expect(room.bytes).toBe(0)
  })
})
