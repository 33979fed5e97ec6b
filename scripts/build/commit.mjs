// The commit that is built: asked of git or, where the sources are no checkout, given by the variables
// SVC_BUILD_COMMIT_SHA and SVC_BUILD_COMMIT_DATE. Plain JavaScript with Node's own modules.
import { spawnSync } from 'node:child_process'

/**
 * Returns the commit's 40 hex digits and its date (ISO 8601), or null if they are unknown. A checkout
 * of something else around the sources does not count.
 */
export function commitOf(root, environment = process.env) {
  const git = (...words) => {
    const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : null
  }
  const found =
    git('rev-parse', '--show-prefix') === '' ? git('log', '-1', '--format=%H %cI') : null
  const { SVC_BUILD_COMMIT_SHA: givenSha, SVC_BUILD_COMMIT_DATE: givenDate } = environment
  const [sha, date] = found?.split(' ') ?? [givenSha, givenDate]
  return /^[0-9a-f]{40}$/.test(sha ?? '') ? { sha, date: date || null } : null
}
