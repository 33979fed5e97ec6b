// What a write is answered by an instance that follows another one.
import { EngineFault } from '../model/index.ts'
import type { Following } from './record.ts'

/**
 * `source`: what is followed, in words for the client. What was taken over says where its instance
 * takes writes, if that has published it.
 */
export const writeRefusal = (source: string, following: Following | null): EngineFault => {
  const writer = following?.writer
  const target =
    writer === undefined ? 'the instance that publishes it' : `\`${writer}\`, which publishes it`
  return new EngineFault(
    'read_only_follower',
    `This instance follows ${source} and takes no writes: send them to ${target}.`,
  )
}
