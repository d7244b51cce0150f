import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { parsedLink } from '../client/parsed-link.ts';
import { openLink } from '../client/open-link.ts';
import { showTheme, storedTheme } from '../ui/theme.ts';
import { App } from './app.tsx';

showTheme(storedTheme());
const root = document.getElementById('root');
if (!root) throw new Error('the page has no root element');
createRoot(root).render(
  <StrictMode>
    <App link={parsedLink(openLink('dashboard'))} />
  </StrictMode>,
);
