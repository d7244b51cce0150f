import { Tooltip as Hint } from 'radix-ui';
import type { ReactElement } from 'react';

/** Lets hints that follow each other appear at once; stands above everything that has one. */
export const TooltipProvider = Hint.Provider;

/** A few words about a control, for the mouse and for the keyboard. The control has a name of its own: a finger never sees this. */
export function Tooltip({ text, children }: { readonly text: string; readonly children: ReactElement }) {
  return (
    <Hint.Root>
      <Hint.Trigger asChild>{children}</Hint.Trigger>
      <Hint.Portal>
        <Hint.Content sideOffset={6} collisionPadding={8} className="z-50 max-w-72 rounded-lg bg-ink px-2.5 py-1.5 text-sm text-canvas shadow-lg">
          {text}
        </Hint.Content>
      </Hint.Portal>
    </Hint.Root>
  );
}
