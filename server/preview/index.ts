// What does a person see who opens the server's address? In development the preview page, made of
// the files that a build leaves in a folder; the page's own source is in `server/page`.
export { withPreview } from './routes.ts'
