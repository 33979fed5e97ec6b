// All requests share the room for answers; a request that gathers alone is never refused.
import { describe, expect, it } from 'vitest'
import { AnswerRoom } from './answer-room.ts'

describe('room for answers', () => {
  it('is refused to an answer that does not fit beside others', () => {
    const room = new AnswerRoom(100, { isOpenAlone: true })
    const [first, second] = [room.share(), room.share()]
    expect([first.take(60), second.take(40)]).toEqual([true, true])
    expect([second.take(1), first.take(1)]).toEqual([false, false])
    expect(first.held()).toBe(100)
    expect(room.bytes).toBe(100)
    first.release()
    second.take(60)
    expect(room.bytes).toBe(100)
    second.release()
    second.release()
    expect(room.bytes).toBe(0)
  })

  it('is never refused to a request that is alone', () => {
    const room = new AnswerRoom(100, { isOpenAlone: true })
    const alone = room.share()
    expect([alone.take(90), alone.take(900)]).toEqual([true, true])
    expect(room.bytes).toBe(990)
    expect(room.share().take(1)).toBe(false)
    alone.release()
    expect(room.bytes).toBe(0)
  })

  it('is refused to a request that is alone if the limit holds for it, too', () => {
    const room = new AnswerRoom(100, { isOpenAlone: false })
    const alone = room.share()
    expect([alone.take(90), alone.take(11), alone.take(10)]).toEqual([true, false, true])
    expect(room.bytes).toBe(100)
  })
})
