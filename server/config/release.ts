// The release. The build inserts the commit; a test compares the number with package.json.
declare const SVC_BUILD_COMMIT_SHA: string | undefined
declare const SVC_BUILD_COMMIT_DATE: string | undefined

export const RELEASE = {
  version: '1.57.0',
  commitSha: typeof SVC_BUILD_COMMIT_SHA === 'string' ? SVC_BUILD_COMMIT_SHA : 'unknown',
  commitDate: typeof SVC_BUILD_COMMIT_DATE === 'string' ? SVC_BUILD_COMMIT_DATE : 'unknown',
} as const
