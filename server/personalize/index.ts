// Personalization: puts hits into an order for a user.
export { type Personalizer, personalizer } from './personalize.ts'
