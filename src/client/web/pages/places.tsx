/** The table of places: the first part of an address, and the page that it opens. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { say } from '../texts/texts.ts'
import { place } from '../state/address.ts'
import { type DrawnPlace, isDrawnPlace } from '../state/drawn-places.ts'
import { Home } from './home/home.tsx'

/** Pages load when they are opened. */
const PLACES: Readonly<Record<DrawnPlace, () => Promise<ComponentType>>> = {
  account: async () => (await import('./account/account.tsx')).AccountPlace,
  object: async () => (await import('./object/object.tsx')).ObjectPlace,
}

const loaded = signal<Readonly<Record<string, ComponentType>>>({})

/** The page of the address. */
export function Place() {
  const [first] = place.value.path
  if (first === undefined) return <Home />
  const Page = loaded.value[first]
  if (Page) return <Page />
  if (!isDrawnPlace(first)) return <NotFound />
  const load = PLACES[first]
  void load().then((page) => (loaded.value = { ...loaded.value, [first]: page }))
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
