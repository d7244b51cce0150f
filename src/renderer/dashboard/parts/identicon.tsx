import { identicon } from '../../format/identicon.ts';

/** The picture of an address, beside the address itself. Drawn with attributes: the page's CSP allows no inline style. */
export function Identicon({ address, className = 'size-9' }: { readonly address: string; readonly className?: string }) {
  const { colours, paths } = identicon(address);
  const [background, ...others] = colours;
  return (
    <svg aria-hidden="true" viewBox="0 0 8 8" shapeRendering="crispEdges" className={`shrink-0 rounded-lg ${className}`}>
      <rect width="8" height="8" fill={background} />
      {others.map((colour, index) => (
        <path key={index} d={paths[index]} fill={colour} />
      ))}
    </svg>
  );
}
