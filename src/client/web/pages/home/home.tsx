/** The first place: what the caller may open, as tiles. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { addressOfNode, isNavbarLoaded, shownNodes } from '../../state/navbar.ts'
import { Icon } from '../../parts/icon.tsx'

const listLeaves = (nodes: readonly Schemas['NavbarNode'][]): Schemas['NavbarNode'][] =>
  nodes.flatMap((node) => (node.Children.length > 0 ? listLeaves(node.Children) : [node]))

/** Draws the tiles, or what to do where there are none. */
export function Home() {
  const leaves = listLeaves(shownNodes.value)
  return (
    <>
      <header class="place-head">
        <h1>{say('home')}</h1>
      </header>
      {!isNavbarLoaded.value && <p class="home-loading quiet">{say('loading')}</p>}
      {!isNavbarLoaded.value ? null : leaves.length === 0 ? (
        <div class="empty">{say('homeEmpty')}</div>
      ) : (
        <ul class="tiles">
          {leaves.map((node) => (
            <li key={node.Name}>
              <a class="tile" href={addressOfNode(node)}>
                <Icon name={node.Icon ?? 'circle'} />
                {node.Label}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
