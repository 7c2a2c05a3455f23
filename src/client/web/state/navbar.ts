/** The caller's places and their badges. */
import { computed, signal } from '@preact/signals'
import { language } from '../texts/texts.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { addressOf } from './address.ts'
import { whenDrawn } from './drawn.ts'
import { findKept, keep } from './kept.ts'
import { findLink } from './link.ts'

type Node = Schemas['NavbarNode']

const navbar = signal<Node[] | undefined>(undefined)
export const badges = signal<Schemas['NavbarBadges']>({})

/** The places of the last visit, in the language that is shown. */
const keptName = (): string => `navbar ${language.peek()}`

/** Shows the places of the last visit at once, and asks for both once the place is drawn. */
export async function beginNavbar(): Promise<void> {
  const kept = findKept<Node[]>(keptName())
  navbar.value = kept
  if (kept) await whenDrawn
  await loadNavbar()
}

/** Loads both: after a sign-in, a switch of company, a change of the model or of rights. */
export async function loadNavbar(): Promise<void> {
  const name = keptName()
  const [tree, counts] = await Promise.all([
    take(wire.GET('/api/v1/svc/navbar')),
    take(wire.GET('/api/v1/svc/navbar/badges')),
  ])
  if (JSON.stringify(tree) !== JSON.stringify(navbar.peek())) {
    navbar.value = tree
    keep(name, tree)
  }
  badges.value = counts
}

/** Addresses of what items of a kind open; a kind that is not drawn yet has none. */
const ADDRESSES: Readonly<Record<Node['Kind'], (target: string) => string | undefined>> = {
  Group: () => undefined,
  Object: (target) => addressOf(['object', target.toLowerCase()]),
  Report: () => undefined,
  Wizard: () => undefined,
  Url: findLink,
}

/** The address of what an item opens; undefined for a group, and for what is not drawn yet. */
export const addressOfNode = ({ Kind, Target }: Node): string | undefined =>
  Target === null ? undefined : ADDRESSES[Kind](Target)

/** False until the places of the caller are known. */
export const isNavbarLoaded = computed(() => navbar.value !== undefined)

/** The tree without items that lead to nothing which the client draws. */
export const shownNodes = computed((): Node[] => listShown(navbar.value ?? []))

const listShown = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap((node) => {
    const Children = listShown(node.Children)
    return Children.length > 0 || addressOfNode(node) !== undefined ? [{ ...node, Children }] : []
  })
