"""Models and functions of PyTorch that bench/torch_times.py runs, with random weights:
each a function that returns a module and the arguments of one call."""

import torch


class Call(torch.nn.Module):
    """A function as a module, so that torch.export takes it."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def rows(elements):
    """Ops along one row of so many elements, and those at indices."""
    x = torch.randn(elements)
    index = torch.randint(0, elements, (elements,))
    order = torch.randperm(elements)
    base = torch.zeros(elements)
    return {
        "sort": (Call(lambda t: torch.sort(t, stable=True)), (x,)),
        "sort i64": (Call(lambda t: torch.sort(t, stable=True)), (index,)),
        "topk 1000": (Call(lambda t: torch.topk(t, min(1000, elements))), (x,)),
        "cummax": (Call(lambda t: torch.cummax(t, 0)), (x,)),
        "scatter": (Call(lambda t, i, s: t.scatter(0, i, s)), (base, order, x)),
        "scatter_add": (Call(lambda t, i, s: t.scatter_add(0, i, s)),
                        (base, index, x)),
        "index_put": (Call(lambda t, i, s: torch.index_put(t, (i,), s)),
                      (base, order, x)),
    }


def vision(name, size=224):
    def make():
        import torchvision
        model = torchvision.models.get_model(name, weights=None)
        return model, (torch.randn(1, 3, size, size),)
    return make


def text(model_class, config_class, width=768, layers=12, heads=12, tokens=128,
         **more):
    """A language model of the width of its smallest published one."""
    def make():
        import transformers
        config = getattr(transformers, config_class)(**more)
        for name, value in (("hidden_size", width), ("num_hidden_layers", layers),
                            ("num_attention_heads", heads)):
            setattr(config, name, value)
        model = getattr(transformers, model_class)(config)
        ids = torch.randint(0, 1000, (1, tokens))

        class First(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, ids):
                return self.model(ids, use_cache=False)[0]
        return First(), (ids,)
    return make


MODELS = {
    "ResNet-50": vision("resnet50"),
    "MobileNetV3": vision("mobilenet_v3_large"),
    "EfficientNet-B0": vision("efficientnet_b0"),
    "ConvNeXt-T": vision("convnext_tiny"),
    "ViT-B": vision("vit_b_16"),
    "Swin-T": vision("swin_t"),
    "GPT-2": text("GPT2LMHeadModel", "GPT2Config"),
    "Llama-style": text("LlamaForCausalLM", "LlamaConfig", layers=6,
                        intermediate_size=2048, num_key_value_heads=4),
    "Qwen-style": text("Qwen2ForCausalLM", "Qwen2Config", layers=6,
                       intermediate_size=2048, num_key_value_heads=4,
                       vocab_size=32000),
}
