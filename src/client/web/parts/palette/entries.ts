/** Entries of the palette: places, recent records, and what the shortcuts of now can do. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { shortcuts } from '../../state/keys.ts'
import { addressOfNode, shownNodes } from '../../state/navbar.ts'
import { recentRecords } from '../../state/recent-records.ts'

/** One line of the palette. */
export interface Entry {
  /** Its own among all entries. */
  id: string
  text: string
  /** More about it, behind the text. */
  detail?: string
  /** Places of `detail`, else of `text`, that were searched for: start and length. */
  ranges?: readonly (readonly [number, number])[]
  icon: string
  keys?: string
  /** Why it cannot be chosen. */
  reason?: string | undefined
  address?: string
  run?: () => void
}

/** Entries under one heading. */
export interface EntryGroup {
  name: string
  label: string
  entries: readonly Entry[]
}

type Node = Schemas['NavbarNode']

const listPlaces = (nodes: readonly Node[], above: readonly string[] = []): Entry[] =>
  nodes.flatMap((node) => {
    const address = addressOfNode(node)
    const own: Entry[] =
      address === undefined
        ? []
        : [
            {
              id: `place ${node.Name}`,
              text: node.Label,
              detail: above.join(' › '),
              icon: node.Icon ?? 'circle',
              address,
            },
          ]
    return [...own, ...listPlaces(node.Children, [...above, node.Label])]
  })

/** Recent records but the one that is open. */
const listRecent = (): Entry[] =>
  recentRecords.value
    .filter(({ address }) => address !== location.pathname)
    .map(({ address, title, label }) => ({
      id: `recent ${address}`,
      text: title,
      detail: label,
      icon: 'clock',
      address,
    }))

/** The key that opens the palette: it is not offered in it. */
const OWN_KEY = 'Mod+k'

function listCommands(isOfPlace: boolean): Entry[] {
  return shortcuts.value
    .filter(({ run, keys, where }) => {
      const isWanted = (where !== 'everywhere') === isOfPlace
      return run !== undefined && isWanted && !keys.includes(OWN_KEY)
    })
    .map(({ keys, label, reason, run }, at) => ({
      id: `command ${at} ${label()}`,
      text: label(),
      icon: 'keyboard',
      reason: reason?.(),
      ...(keys[0] !== undefined && { keys: keys[0] }),
      ...(run && { run }),
    }))
}

/** Text as it is compared: without case and accents. */
const plainText = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** How well an entry has all words; undefined where it lacks one, higher where they begin words. */
function rankEntry({ text, detail = '' }: Entry, words: readonly string[]): number | undefined {
  const [own, other] = [plainText(text), plainText(detail)]
  let rank = 0
  for (const word of words) {
    if (own.startsWith(word)) rank += 4
    else if (own.includes(` ${word}`)) rank += 3
    else if (own.includes(word)) rank += 2
    else if (other.includes(word)) rank += 1
    else return undefined
  }
  return rank
}

/** The entries that have all words of a text, the best first. */
function findEntries(entries: readonly Entry[], text: string): Entry[] {
  const words = plainText(text).split(/\s+/).filter(Boolean)
  return entries
    .flatMap((entry) => {
      const rank = rankEntry(entry, words)
      return rank === undefined ? [] : [{ entry, rank }]
    })
    .sort((a, b) => b.rank - a.rank)
    .map(({ entry }) => entry)
}

/**
 * The groups for a text, with what the server found of records between what is here and what is
 * everywhere.
 */
export function planGroups(text: string, found: readonly EntryGroup[]): EntryGroup[] {
  const groups: EntryGroup[] = [
    { name: 'recent', label: say('paletteRecent'), entries: findEntries(listRecent(), text) },
    { name: 'here', label: say('paletteHere'), entries: findEntries(listCommands(true), text) },
    {
      name: 'places',
      label: say('palettePlaces'),
      entries: findEntries(listPlaces(shownNodes.value), text),
    },
    ...found,
    {
      name: 'everywhere',
      label: say('keys_everywhere'),
      entries: findEntries(listCommands(false), text),
    },
  ]
  return groups.filter(({ entries }) => entries.length > 0)
}
