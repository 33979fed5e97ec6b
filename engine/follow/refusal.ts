// What a write is answered by an instance that follows another one.
import { EngineFault } from '../model/index.ts'

/** `source`: what is followed, in words for the client. */
export const writeRefusal = (source: string): EngineFault =>
  new EngineFault(
    'read_only_follower',
    `This instance follows ${source} and takes no writes: send them to the instance that ` +
      'publishes it.',
  )
