// The pages that browsers get in development: the preview page at `/` and the page of the API at
// `/openapi`, made of the files that a build leaves in a folder. Sources: `server/page`.
export { withPreview } from './routes.ts'
