import type { ListedPriceView } from '../../../shared/contract/discovery.ts';
import { discoverTexts as texts } from '../../texts/discover.ts';
import { Amount, Untrusted } from '../parts/texts.tsx';

/** What an endpoint costs: the way to pay that comes first, and how many others there are. */
export function ListedPrices({ prices }: { readonly prices: readonly ListedPriceView[] }) {
  const [first, ...others] = prices;
  if (!first) return undefined;
  return (
    <>
      <ListedAmount price={first} /> <Untrusted text={texts.on(first.networkName)} />
      {others.length > 0 && <span className="text-muted"> {texts.otherPrices(others.length)}</span>}
      {!prices.some(({ payable }) => payable) && <span className="text-warn">. {texts.notPayable}</span>}
    </>
  );
}

/** One price; in the list's own words where the token is not known. */
export function ListedAmount({ price }: { readonly price: ListedPriceView }) {
  return price.money ? <Amount money={price.money} className="font-medium" /> : <Untrusted text={texts.unknownToken(price.units)} className="tabular-nums" />;
}
