/** The caller's places and their badges. */
import { signal } from '@preact/signals'
import { type Schemas, take, wire } from '../api/wire.ts'

export const navbar = signal<Schemas['NavbarNode'][]>([])
export const badges = signal<Schemas['NavbarBadges']>({})

/** Loads both: after a sign-in, a switch of company, a change of the model or of rights. */
export async function loadNavbar(): Promise<void> {
  const [tree, counts] = await Promise.all([
    take(wire.GET('/api/v1/svc/navbar')),
    take(wire.GET('/api/v1/svc/navbar/badges')),
  ])
  navbar.value = tree
  badges.value = counts
}
