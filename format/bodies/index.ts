// Files of document bodies. Layout: ./BODIES.md
export { BODY_FOOTER_BYTES, bodyFooter, documentsOfBody } from './body-v1.ts'
