import { groupAddress } from '../format/address.ts';
import { commonTexts } from '../texts/common.ts';

type Child = Node | string | undefined;

/** Says something to a screen reader. */
export type Announce = (words: string) => void;

/** Makes an element with a class and children. A string becomes a text node, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = '', ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  for (const child of children) if (child !== undefined) made.append(child);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an SVG element with attributes. */
export function svg(tag: string, attributes: Readonly<Record<string, string>>, ...children: Node[]): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A text that came from outside: isolated, so that its direction cannot reorder what stands around it. */
export const untrusted = (text: string, className = ''): HTMLElement => element('bdi', `untrusted ${className}`.trim(), text);

/** An address in groups of four, in full. The gaps are drawn, so selecting it copies the bare address. */
export function addressElement(address: string): HTMLElement {
  const box = element('bdi', 'address');
  box.dir = 'ltr';
  for (const group of groupAddress(address)) box.append(element('span', 'group', group), element('wbr'));
  return box;
}

const COPIED_FOR = 1_600;

/** A small button that copies a text and says so. */
export function copyButton(text: string, what: string, announce: Announce): HTMLButtonElement {
  const button = element('button', 'copy', commonTexts.copyShort);
  button.type = 'button';
  button.setAttribute('aria-label', commonTexts.copy(what));
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return announce(commonTexts.copyFailed);
    }
    button.textContent = commonTexts.copied;
    announce(commonTexts.copied);
    setTimeout(() => (button.textContent = commonTexts.copyShort), COPIED_FOR);
  };
  button.addEventListener('click', () => void copy());
  return button;
}

/** A button that answers to a click or a fresh Space alone: Enter never decides, and a key that is held down, perhaps since before the page came up, does nothing. */
export function decisionButton(className: string, label: string, press: () => void): HTMLButtonElement {
  const button = plainButton(className, label, press);
  button.disabled = true;
  button.addEventListener('keydown', (event) => {
    if (event.repeat || event.key === 'Enter') event.preventDefault();
  });
  return button;
}

/** A button that decides nothing. */
export function plainButton(className: string, label: string, press: () => void): HTMLButtonElement {
  const button = element('button', `button ${className}`, label);
  button.type = 'button';
  button.addEventListener('click', press);
  return button;
}
