// The answer to a write on an instance that follows another one.
import { EngineFault } from '../../model/index.ts'
import type { Following } from './record.ts'

/**
 * `source`: a description of the followed database for the client. The record says where its
 * instance accepts writes, if that was published.
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
