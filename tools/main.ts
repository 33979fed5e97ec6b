// Entry point of `svc-tools`.
import { requireNodeRelease } from '../server/node-release.ts'

requireNodeRelease()
await import('./program.ts')
