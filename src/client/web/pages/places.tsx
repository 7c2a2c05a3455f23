/** The table of places: the first part of an address, and the page that it opens. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { say } from '../texts/texts.ts'
import { path } from '../state/address.ts'
import { type DrawnPlace, isDrawnPlace } from '../state/drawn-places.ts'
import { Home } from './home/home.tsx'

/** Pages load when they are opened. */
const PLACES: Readonly<Record<DrawnPlace, () => Promise<ComponentType>>> = {
  account: async () => (await import('./account/account.tsx')).AccountPlace,
  object: async () => (await import('./object/object.tsx')).ObjectPlace,
}

const loaded = signal<Readonly<Partial<Record<DrawnPlace, ComponentType>>>>({})

async function load(first: DrawnPlace): Promise<void> {
  const page = await PLACES[first]()
  loaded.value = { ...loaded.value, [first]: page }
}

/** Begins to load the page of the address, beside the session. */
export function loadPlace(): void {
  const [first = ''] = path.peek()
  if (isDrawnPlace(first)) void load(first)
}

/** The page of the address. */
export function Place() {
  const [first] = path.value
  if (first === undefined) return <Home />
  if (!isDrawnPlace(first)) return <NotFound />
  const Page = loaded.value[first]
  if (Page) return <Page />
  void load(first)
  return <div class="empty quiet">{say('loading')}</div>
}

function NotFound() {
  return (
    <div class="empty">
      <h1>{say('notFound')}</h1>
      <p class="quiet">{say('notFoundHelp')}</p>
      <a href="/">{say('home')}</a>
    </div>
  )
}
